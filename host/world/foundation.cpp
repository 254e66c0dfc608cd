#include "host/world/foundation.h"

#include <string>

#include "host/contact/parameters.h"

namespace intervox::host {

double LayerStiffness(double E, double nu, double t) {
  return E * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu) * t);
}

Material MaterialWithFoundation(const Scene& scene, const BodySettings& body) {
  Material material = body.material.empty() ? Material{} : scene.materials.at(body.material);
  if (material.foundation_stiffness) return material;
  const std::string name = "materials." + body.material + ".";
  const auto fail = [&](const std::string& key, const std::string& what) {
    FailAt(material.places.Of(key), scene.path.string(), name + key, what);
  };
  if (!material.youngs_modulus) {
    if (body.foundation_thickness) {
      FailAt(body.places.Of("foundation_thickness"), scene.path.string(),
             "bodies." + body.name + ".foundation_thickness",
             NumberText(*body.foundation_thickness) +
                 " m says nothing about the stiffness without youngs_modulus. Give the body a "
                 "material with it, or remove the thickness.");
    }
    if (material.foundation_thickness) {
      fail("foundation_thickness", NumberText(*material.foundation_thickness) +
                                       " m says nothing about the stiffness without "
                                       "youngs_modulus. Give it, or foundation_stiffness.");
    }
    return material;
  }
  const std::optional<double> t = body.foundation_thickness       ? body.foundation_thickness
                                  : material.foundation_thickness ? material.foundation_thickness
                                                                  : scene.foundation_thickness;
  if (!t) return material;
  if (!material.poisson_ratio) {
    fail("poisson_ratio",
         "is missing: the stiffness of a layer of " + NumberText(*t) +
             " m depends on it. Give it (0.3 for most metals), or foundation_stiffness.");
  }
  if (*material.poisson_ratio > kMostPoissonRatio) {
    fail("poisson_ratio",
         NumberText(*material.poisson_ratio) + " is above " + NumberText(kMostPoissonRatio) +
             ": a layer that keeps its volume is rigid, and what gives way is its rim. Give "
             "0.49 or less, or foundation_stiffness.");
  }
  material.foundation_stiffness =
      LayerStiffness(*material.youngs_modulus, *material.poisson_ratio, *t);
  return material;
}

}  // namespace intervox::host
