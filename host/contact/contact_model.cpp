#include "host/contact/contact_model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/contact/damping_factor.h"
#include "host/contact/points/curvature.h"
#include "host/contact/registry.h"
#include "host/input/error.h"

namespace intervox::host {
namespace {

template <class Law>
std::unique_ptr<const Law> Make(const LawRegistry<Law>& registry, const std::string& part,
                                const ModelSettings& settings, Parameters& parameters) {
  const auto found = registry.find(settings.model);
  if (found == registry.end()) {
    std::string list;
    for (const auto& [name, make] : registry) list += (list.empty() ? "" : ", ") + name;
    throw InputError(part + ".model: \"" + settings.model + "\" is not known. Use one of: " + list +
                     ".");
  }
  return found->second(parameters);
}

void Finish(const Parameters& parameters, ContactModel* model) {
  parameters.RefuseUnknown();
  model->warnings.insert(model->warnings.end(), parameters.warnings().begin(),
                         parameters.warnings().end());
  model->notes.insert(model->notes.end(), parameters.notes().begin(), parameters.notes().end());
}

/** Refuses what would count spinning twice, or has another pressure than the law's p ∝ depth. */
void RefuseBesideDistributed(const ContactModelSettings& settings, const ContactModel& model) {
  const std::string law = "the friction model \"" + settings.friction.model + "\"";
  if (settings.spinning.model != "none") {
    throw InputError("spinning.model: \"" + settings.spinning.model +
                     "\" would count spinning twice: " + law +
                     " has it. Use none, or remove spinning.");
  }
  if (model.normal->Conserves()) {
    throw InputError("friction.model: " + law + " needs a pressure that follows the depth, and \"" +
                     settings.normal.model +
                     "\" presses alike everywhere. Use another normal model, or coulomb.");
  }
}

/** The latch of a name. Laws that latch no speed have none that follows the load; nor has by
 default who gives v_small. */
ContactModel::Latch LatchOf(const std::string& name, const ModelSettings& settings,
                            const Parameters& normal) {
  if (name == "first") return ContactModel::Latch::kFirst;
  const bool by_default = !settings.choices.contains("latch") && normal.Has("v_small");
  const bool follows = name == "load" && !by_default && normal.Known().contains("v_small");
  return follows ? ContactModel::Latch::kLoad : ContactModel::Latch::kLargest;
}

}  // namespace

NormalForce ContactModel::Force(double V_r, double S, const PatchLatch& latched) const {
  if (normal->HasCurve()) return {latched.form * ForceOf(normal->Curve(latched), V_r), 0.0};
  if (V_r <= latched.V_max) return {};  // the surface is not there yet
  const NormalForce f = normal->Force(V_r, latched.a);
  const double f_e = latched.form * f.f_e, b = latched.form * f.b;
  if (!normal->Conserves()) return {f_e, b};
  return {S * f_e, S * b};
}

NormalForce ContactModel::PointForce(double z, const PatchLatch& latched,
                                     NormalForce* slope) const {
  *slope = {};
  if (normal->HasCurve()) {
    const LoadingCurve curve = normal->Curve(latched);
    if (z > 0.0) slope->f_e = latched.form * SlopeNear(curve, z);
    return {latched.form * ForceOf(curve, z), 0.0};
  }
  if (z <= latched.V_max) return {};  // the surface is not there yet
  const NormalForce f = normal->PointForce(z, latched.a, slope);
  *slope = {latched.form * slope->f_e, latched.form * slope->b};
  return {latched.form * f.f_e, latched.form * f.b};
}

void ContactModel::Begin(double V, double v_n, bool on_purpose, PatchLatch* latched,
                         PatchState* state) const {
  *state = PatchState{};
  state->s_dw = starts_sticking ? 1.0 : 0.0;
  state->V_o = relaxation_time > 0.0 && !on_purpose ? V : 0.0;
  latched->v_i = std::max(0.0, -v_n);
  latched->a = normal->DampingFactor(latched->v_i);
}

void ContactModel::BeginForm(const PatchGeometry& geometry, PatchLatch* latched) const {
  if (normal->FollowsCurvature()) {
    latched->form = points::HertzForm(geometry.k_1, geometry.k_2);
  }
}

void ContactModel::Accept(double v_n, PatchLatch* latched) const {
  if (latch == Latch::kFirst || -v_n <= latched->v_i) return;
  latched->v_i = -v_n;
  latched->a = normal->DampingFactor(latched->v_i);
}

double ContactModel::LandingSpeed(double speed) const {
  constexpr double kLanding = 8.0;  // |a| speed: four times critical
  const double A = -normal->DampingFactor(speed) * speed;
  return speed * std::min(A / kLanding, PressingSpeed(A));
}

void ContactModel::FollowLoad(double speed, PatchLatch* latched) const {
  constexpr double kRaises = 1.01;  // a latch that moves has its contact solved anew
  static const double most = PressingSpeed(kMostDamping);
  if (speed * most <= kRaises * latched->v_i) return;
  const double v = LandingSpeed(speed);
  if (v > kRaises * latched->v_i) Accept(-v, latched);
}

void ContactModel::Forget(double v_n, double speed, double periods, PatchLatch* latched) const {
  constexpr double kShare = 0.5, kPeriods = 2.0;
  latched->quiet += periods;
  if (-v_n >= kShare * latched->v_i) latched->quiet = 0.0;
  if (!(latched->quiet > kPeriods)) return;
  latched->quiet = 0.0;
  const double v = std::max(kShare * latched->v_i, LandingSpeed(speed));
  const double a = normal->DampingFactor(v);
  if (!(v < latched->v_i) || !(a <= latched->a)) return;
  latched->v_i = v;
  latched->a = a;
}

void ContactModel::Remember(double V_r, double V_rate, double h, PatchLatch* latched) const {
  if (normal->Recovers()) {
    const double surface = latched->V_max > 0.0 ? latched->V_max : latched->V_last;
    latched->V_max = normal->Recovered(V_r, surface, V_rate, h);
  } else if (V_rate < 0.0) {
    double V_p = std::max(V_r, latched->V_last);
    if (latched->V_rate_last > 0.0) {
      V_p = std::max(V_p, PeakOf(latched->V_last, latched->V_rate_last, V_r, V_rate, h));
    }
    if (V_r > 0.0 && V_p > normal->Curve(*latched).V_2) normal->Turn(V_p, V_r, latched);
  }
  latched->V_last = V_r;
  latched->V_rate_last = V_rate;
}

std::unique_ptr<const ContactModel> MakeContactModel(const ContactModelSettings& settings,
                                                     const Material& material_i,
                                                     const Material& material_j) {
  auto model = std::make_unique<ContactModel>();
  Parameters normal("normal", settings.normal, material_i, material_j, settings.geometry);
  const std::string latch = normal.Choice("latch", {"load", "largest", "first"});
  model->relaxation_time = normal.InRange("relaxation_time", 0.0, 0.0, 1e12, "0 switches it off.");
  if (model->relaxation_time > 0.0 && model->relaxation_time < 1.0) {
    normal.Warn("relaxation_time", NumberText(model->relaxation_time) + " is below 1 s.");
  }
  model->passive = normal.IsOn("passive", true);
  model->normal = Make(NormalLaws(), "normal", settings.normal, normal);
  model->latch = LatchOf(latch, settings.normal, normal);
  Finish(normal, model.get());

  Parameters friction("friction", settings.friction, material_i, material_j, settings.geometry);
  model->starts_sticking = friction.IsOn("dwell_start", false);
  model->friction = Make(FrictionLaws(), "friction", settings.friction, friction);
  Finish(friction, model.get());

  Parameters rolling("rolling", settings.rolling, material_i, material_j, settings.geometry);
  model->rolling_cap = rolling.IsOn("cap", false);
  model->rolling = Make(RollingLaws(), "rolling", settings.rolling, rolling);
  Finish(rolling, model.get());

  Parameters spinning("spinning", settings.spinning, material_i, material_j, settings.geometry);
  model->spinning = Make(SpinningLaws(), "spinning", settings.spinning, spinning);
  Finish(spinning, model.get());

  if (model->friction->IsDistributed()) RefuseBesideDistributed(settings, *model);
  model->plate_share = PlateShare(material_i, material_j, settings.geometry);
  return model;
}

}  // namespace intervox::host
