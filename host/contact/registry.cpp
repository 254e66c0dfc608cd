#include "host/contact/registry.h"

#include "host/contact/friction_bristle.h"
#include "host/contact/friction_distributed.h"
#include "host/contact/friction_goyal.h"
#include "host/contact/friction_laws.h"
#include "host/contact/normal_bilinear.h"
#include "host/contact/normal_laws.h"
#include "host/contact/rolling_laws.h"
#include "host/contact/spinning_laws.h"

namespace intervox::host {

LawRegistry<NormalLaw>& NormalLaws() {
  static LawRegistry<NormalLaw> registry = [] {
    LawRegistry<NormalLaw> r;
    Register<GonthierNormal>(r, "gonthier");
    Register<HuntCrossleyNormal>(r, "hunt_crossley");
    Register<LankaraniNikraveshNormal>(r, "lankarani_nikravesh");
    Register<MarhefkaOrinNormal>(r, "marhefka_orin");
    Register<LeeWangNormal>(r, "lee_wang");
    Register<AzadFeatherstoneNormal>(r, "azad_featherstone");
    Register<GenericNormal>(r, "generic");
    Register<LinearNormal>(r, "linear");
    Register<StrongeNormal>(r, "stronge");
    Register<ChatterjeeNormal>(r, "chatterjee");
    Register<ConservingNormal>(r, "conserving");
    return r;
  }();
  return registry;
}

LawRegistry<FrictionLaw>& FrictionLaws() {
  static LawRegistry<FrictionLaw> registry = [] {
    LawRegistry<FrictionLaw> r;
    Register<NoFriction>(r, "none");
    Register<CoulombFriction>(r, "coulomb");
    Register<StribeckFriction>(r, "stribeck");
    Register<BristleFriction<true>>(r, "bristle");
    Register<BristleFriction<false>>(r, "bristle_absolute");
    Register<GoyalFriction>(r, "goyal");
    Register<DistributedFriction>(r, "distributed");
    return r;
  }();
  return registry;
}

LawRegistry<RollingLaw>& RollingLaws() {
  static LawRegistry<RollingLaw> registry = [] {
    LawRegistry<RollingLaw> r;
    Register<NoRolling>(r, "none");
    Register<GonthierRolling>(r, "gonthier");
    Register<ExactRolling>(r, "exact");
    Register<RockingResistance>(r, "rocking");
    return r;
  }();
  return registry;
}

LawRegistry<SpinningLaw>& SpinningLaws() {
  static LawRegistry<SpinningLaw> registry = [] {
    LawRegistry<SpinningLaw> r;
    Register<NoSpinning>(r, "none");
    Register<ContensouSpinning>(r, "contensou");
    return r;
  }();
  return registry;
}

}  // namespace intervox::host
