/** @file The stiffness of a body's elastic foundation from its material. */
#pragma once

#include "host/scene/scene.h"

namespace intervox::host {

/** Largest Poisson's ratio of a foundation: a bonded layer becomes incompressible at 0.5, and its
 stiffness infinite. */
inline constexpr double kMostPoissonRatio = 0.49;

/** k_v = E (1 − ν)/((1 + ν)(1 − 2ν) t) of an elastic layer bonded to a rigid core [N/m³].
 @param E   Young's modulus [Pa]; @param nu  Poisson's ratio; @param t  thickness [m] */
double LayerStiffness(double E, double nu, double t);

/** The material of a body. Where it has a Young's modulus and a thickness but no foundation
 stiffness, it gets that of such a layer. The thickness is the body's, else the material's, else the
 scene's.
 @throws InputError naming FILE:LINE: KEY for a Poisson's ratio that is missing or too large, and
 for a thickness of a body whose material has no Young's modulus. */
Material MaterialWithFoundation(const Scene& scene, const BodySettings& body);

}  // namespace intervox::host
