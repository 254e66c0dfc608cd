/** @file Impulse laws: what a collision at one point with friction leaves, by law. */
#pragma once

#include <span>
#include <string>

#include "host/impulse/collision.h"

namespace intervox::host {

/** Laws for the impulse of a collision with Coulomb friction. With v = n·velocity < 0 before. */
enum class ImpulseLaw {
  kNewton,      ///< the flow of slip, ended by v⁺ = −e v (Newton, 1687); may gain energy
  kPoisson,     ///< the flow, ended by P_r = e P_c (Poisson, 1835; Keller, 1986)
  kStronge,     ///< the flow, ended by W_r = e² W_c (Stronge, 1990)
  kRouth,       ///< the planar graph in closed form, P_r = e P_c (Routh, 1860)
  kKane,        ///< v⁺ = −e v, friction for the whole impulse (Kane, Levinson, 1985); may gain
  kBrach,       ///< v⁺ = −e v, impulse ratio along the first slip, bounded (Brach, 1989)
  kChatterjee,  ///< v⁺ = −e v, e_t, within the cone (Chatterjee, Ruina, 1998)
};

/** What describes the surfaces. */
struct ImpulseParameters {
  double restitution = 1.0;             ///< e, 0 to 1
  double friction = 0.0;                ///< μ ≥ 0; of kBrach the largest impulse ratio
  double tangential_restitution = 0.0;  ///< e_t, −1 to 1; read by kChatterjee alone
};

/** What a collision leaves. */
struct ImpulseOutcome {
  Vec3 impulse;                ///< P on body i, world [N·s]; body j gets −P
  Vec3 velocity;               ///< of i relative to j at the point, after [m/s]
  double energy_change = 0.0;  ///< of the bodies' kinetic energy, P·(v + v⁺)/2 [J]
};

/** A name by which a law is known. */
struct ImpulseLawName {
  const char* name;
  ImpulseLaw law;
};

/** All names. `keller` and `bhatt_koechling` are names of `poisson`: the flow is theirs. */
std::span<const ImpulseLawName> ImpulseLawNames();

/** The law of a name. @throws InputError for an unknown one, with the nearest that is known */
ImpulseLaw ImpulseLawNamed(const std::string& name);

/** The impulse of a collision by a law. Bodies that do not approach get none, but for the laws of
 the flow at v = 0: a slip whose friction would press the bodies into each other (Painlevé) collides
 without approach.
 @throws InputError for e, μ or e_t outside their ranges, W that is not positive
 definite by a share of 1e-7, a normal
 that is not unit, numbers that are not finite, and kRouth where the motion is not planar */
ImpulseOutcome Collide(ImpulseLaw law, const CollisionPoint& contact,
                       const ImpulseParameters& parameters);

}  // namespace intervox::host
