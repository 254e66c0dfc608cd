#include "host/contact/normal_laws.h"

namespace intervox::host {
namespace {

double SmallSpeed(Parameters& p) {
  return p.InRange("v_small", 1e-4, 1e-12, 1e3, "Give a small speed in m/s.");
}

/** E* of two materials; one without a modulus is rigid, and 0 means that both are [Pa]. */
double EffectiveModulus(const Material& i, const Material& j) {
  return SeriesStiffness(PlaneModulus(i), PlaneModulus(j));
}

/** Whether Hertz' stiffness is to come from the curvatures where bodies touch. */
bool FollowsCurvatures(const Parameters& p, double exponent) {
  return p.AtPoints() && exponent == 1.5 && !p.Has("stiffness") && !p.Has("radius") &&
         EffectiveModulus(p.material_i(), p.material_j()) > 0.0;
}

/** k of k zᵖ: given, or Hertz's of a radius. */
double PointStiffness(Parameters& p, double exponent) {
  const std::string unit = exponent == 1.0 ? "N/m" : "N/m^" + NumberText(exponent);
  const std::string otherwise =
      exponent == 1.5 ? ", or youngs_modulus of a material, of which Hertz' law makes it with "
                        "`radius` [m]; gonthier, hunt_crossley and lankarani_nikravesh take the "
                        "curvatures where the bodies touch instead of it."
                      : "; Hertz' law, which makes it of the materials, has exponent 1.5.";
  const std::string remedy = "At points give it in " + unit + otherwise;
  double fallback = 0.0;
  if (!p.Has("stiffness") && p.Has("radius")) {
    const double R = p.InRange("radius", 0.0, 1e-9, 1e9, "Give 1/(1/R_1 + 1/R_2) in m.");
    const double E = EffectiveModulus(p.material_i(), p.material_j());
    if (!(E > 0.0)) p.Fail("radius", "needs youngs_modulus of a material. Give it, or stiffness.");
    if (exponent != 1.5) p.Fail("exponent", "is 1.5 by Hertz' law. Give stiffness with another.");
    fallback = 4.0 / 3.0 * E * std::sqrt(R);
  }
  const double k = p.Get("stiffness", fallback);
  if (!(k > 0.0) && !p.Has("stiffness")) p.FailMissing("stiffness", remedy);
  if (!(k > 0.0)) p.Fail("stiffness", NumberText(k) + " is not positive. " + remedy);
  if (!p.Has("stiffness")) p.Note("stiffness", NumberText(k, 6) + " N/m^1.5, by Hertz' law");
  return k;
}

/** The exponent of k zᵖ; of a volume 1. */
double ExponentOf(Parameters& p, double exponent) {
  if (!p.AtPoints()) return 1.0;
  return p.InRange("exponent", exponent, 1.0, 4.0, "Give 1.5 for round bodies, 1 for facets.");
}

/** The parameters of a law of points, refused for volumes. */
Parameters& OfPoints(Parameters& p) {
  if (p.AtPoints()) return p;
  p.Fail("model",
         "its damping follows the depth of a point. Add geometry: points to the contact "
         "model, or use gonthier, hunt_crossley or lankarani_nikravesh.");
}

}  // namespace

double DissipationOf(Parameters& p) {
  const double given =
      p.InRange("dissipation", 0.0, 0.0, 1e300, "Dissipation must not be negative [s/m].");
  const bool has_e = Restitution::IsGiven(p);
  if (p.Has("dissipation")) {
    if (has_e) p.Fail("dissipation", "stands beside restitution. Remove one of them.");
    return given;
  }
  const Material &i = p.material_i(), &j = p.material_j();
  const std::optional<double> pair = PairDissipation(i, j, p.geometry());
  if (has_e || !pair) return -1.0;
  p.Note("dissipation", NumberText(*pair, 6) + " s/m, of the materials");
  if ((i.restitution && !i.dissipation) || (j.restitution && !j.dissipation)) {
    p.Warn("dissipation", NumberText(*pair, 6) +
                              " s/m is that of one material: the other has restitution alone, "
                              "which is not used. Give it a dissipation too, or give the model "
                              "one of them.");
  }
  return *pair;
}

double LinearStiffness(Parameters& p) {
  if (!p.AtPoints()) return PositiveStiffness(p, "stiffness");
  return p.InRange("stiffness", 0.0, 1e-300, 1e300, "At points give it in N/m, above 0.");
}

ElasticPart::ElasticPart(Parameters& p, double exponent, bool may_follow)
    : at_points_(p.AtPoints()),
      exponent_(ExponentOf(p, exponent)),
      follows_(may_follow && FollowsCurvatures(p, exponent_)),
      k_(follows_     ? EffectiveModulus(p.material_i(), p.material_j())
         : at_points_ ? PointStiffness(p, exponent_)
                      : PositiveStiffness(p, "stiffness")) {}

FactorNormal::FactorNormal(Parameters& p, double exponent, bool needs_e)
    : e_(p, needs_e ? PairRestitution(p.material_i(), p.material_j(), p.geometry()) : 1.0),
      v_small_(SmallSpeed(p)),
      elastic_(p, exponent, true) {}

PowerNormal::PowerNormal(Parameters& p, double exponent, double damping_exponent)
    : elastic_(OfPoints(p), exponent),
      damping_(p.InRange("damping", 0.0, 0.0, 1e300, "Damping must not be negative.")),
      damping_exponent_(damping_exponent) {
  RefuseRestitution(p);
}

GenericNormal::GenericNormal(Parameters& p)
    : PowerNormal(p, 1.5,
                  p.InRange("damping_exponent", p.Get("exponent", 1.5), 0.0, 4.0,
                            "Give the power of the depth that damping grows with.")) {}

AzadFeatherstoneNormal::AzadFeatherstoneNormal(Parameters& p)
    : PowerNormal(p, 1.5, 0.5), recovers_(p.IsOn("recovery", false)) {
  if (recovers_ && p.Get("exponent", 1.5) != 1.5) {
    p.Fail("recovery", "is that of the law with exponent 1.5. Remove exponent, or recovery.");
  }
}

double AzadFeatherstoneNormal::Recovered(double z, double before, double rate, double h) const {
  // z' = −(k/λ) z of the free surface.
  const double k = elastic_.Force(1.0);
  const double free = damping_ > 0.0 ? before * std::exp(-h * k / damping_) : 0.0;
  if (z >= free && k * z + damping_ * rate > 0.0) return 0.0;
  return std::max(z, free);
}

ConservingNormal::ConservingNormal(Parameters& p)
    : c_(p.InRange("coefficient", 0.0, 1e-30, 1e300,
                   "Give the c of w = c V^m in J/m^(3m), k_v/(2 A) for a face of area A.")),
      m_(p.InRange("exponent", 0.0, 1.05, 4.0,
                   "Give the m of w = c V^m: 2 for a face, 1.5 for a thin cap, 1.25 for Hertz's "
                   "contact.")),
      e_(p, PairRestitutionOr(p.material_i(), p.material_j(), 1.0)),
      v_small_(SmallSpeed(p)),
      d_(e_) {
  if (p.AtPoints()) {
    p.Fail("model",
           "\"conserving\" is a law of volumes. Any other with restitution: 1 conserves "
           "energy at points.");
  }
}

}  // namespace intervox::host
