#include "host/contact/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "host/input/error.h"
#include "host/input/nearest.h"

namespace intervox::host {
namespace {

bool Given(const std::optional<double>& value) { return value && *value > 0.0; }

/** "0.01 to 1", "0 or more", "above 0": the numbers that are allowed. */
std::string RangeText(double low, double high) {
  constexpr double kNoBound = 1e300, kNothing = 1e-300;
  if (high < kNoBound) return NumberText(low) + " to " + NumberText(high);
  return low > 0.0 && low <= kNothing ? "above 0" : NumberText(low) + " or more";
}

}  // namespace

std::string NumberText(double value, int digits) {
  char text[40];
  char* const last = text + sizeof(text);
  const auto end = digits > 0 ? std::to_chars(text, last, value, std::chars_format::general, digits)
                              : std::to_chars(text, last, value);
  return {text, end.ptr};
}

Parameters::Parameters(std::string part, const ModelSettings& settings, const Material& material_i,
                       const Material& material_j, ContactGeometry geometry)
    : part_(std::move(part)),
      settings_(settings),
      material_i_(material_i),
      material_j_(material_j),
      geometry_(geometry) {}

double Parameters::Get(const std::string& key, double fallback) {
  known_.insert(key);
  const auto found = settings_.parameters.find(key);
  if (found == settings_.parameters.end()) return fallback;
  if (!std::isfinite(found->second)) {
    Fail(key, NumberText(found->second) + " is not a finite number. Give a finite number.");
  }
  return found->second;
}

double Parameters::Require(const std::string& key) {
  if (!Has(key)) FailMissing(key, "The model \"" + settings_.model + "\" needs it.");
  return Get(key, 0.0);
}

double Parameters::InRange(const std::string& key, double fallback, double low, double high,
                           const std::string& remedy) {
  const double value = Get(key, fallback);
  if (!(value >= low) && !Has(key)) FailMissing(key, remedy);
  if (value < low || value > high) {
    Fail(key, NumberText(value) + (value < low ? " is below " : " is above ") +
                  NumberText(value < low ? low : high) + " (allowed: " + RangeText(low, high) +
                  "). " + remedy);
  }
  return value;
}

bool Parameters::IsOn(const std::string& key, bool fallback) {
  const double value = Get(key, fallback ? 1.0 : 0.0);
  if (value != 0.0 && value != 1.0) Fail(key, NumberText(value) + " is no switch. Use 0 or 1.");
  return value != 0.0;
}

std::string Parameters::Choice(const std::string& key, const std::vector<std::string>& allowed) {
  known_.insert(key);
  const auto found = settings_.choices.find(key);
  if (found == settings_.choices.end()) return allowed.front();
  if (std::find(allowed.begin(), allowed.end(), found->second) == allowed.end()) {
    std::string list;
    for (const std::string& name : allowed) list += (list.empty() ? "" : ", ") + name;
    Fail(key, "\"" + found->second + "\" is not known. Use one of: " + list + ".");
  }
  return found->second;
}

bool Parameters::Has(const std::string& key) const {
  return settings_.parameters.contains(key) || settings_.groups.contains(key);
}

const ParameterGroup* Parameters::Group(const std::string& key) {
  known_.insert(key);
  groups_.insert(key);
  const auto found = settings_.groups.find(key);
  return found == settings_.groups.end() ? nullptr : &found->second;
}

void Parameters::Warn(const std::string& key, const std::string& message) {
  warnings_.push_back(part_ + "." + key + ": " + message);
}

void Parameters::Note(const std::string& key, const std::string& value) {
  notes_.push_back(part_ + "." + key + " = " + value);
}

void Parameters::Fail(const std::string& key, const std::string& message) const {
  throw InputError(part_ + "." + key + ": " + message);
}

void Parameters::FailMissing(const std::string& key, const std::string& remedy) const {
  std::string misspelt;
  for (const auto& [name, value] : settings_.parameters) {
    if (EditDistance(name, key) <= 2) misspelt = "; '" + name + "' is not known";
  }
  Fail(key, "is missing" + misspelt + ". " + remedy);
}

void Parameters::RefuseUnknown() const {
  const std::vector<std::string> names(known_.begin(), known_.end());
  const auto refuse = [&](const std::string& key) {
    if (known_.contains(key)) return;
    Fail(key, "is not a parameter of the model \"" + settings_.model + "\". " +
                  (names.empty() ? "It takes none." : Suggest(key, names)));
  };
  for (const auto& [key, value] : settings_.parameters) refuse(key);
  for (const auto& [key, value] : settings_.choices) refuse(key);
  for (const auto& [key, value] : settings_.groups) {
    refuse(key);
    if (!groups_.contains(key)) Fail(key, "is a map. Give one number.");
  }
}

double SeriesStiffness(std::optional<double> k_i, std::optional<double> k_j) {
  if (!Given(k_i)) return Given(k_j) ? *k_j : 0.0;
  if (!Given(k_j)) return *k_i;
  return 1.0 / (1.0 / *k_i + 1.0 / *k_j);
}

double PositiveStiffness(Parameters& parameters, const std::string& key) {
  const std::string remedy =
      "Of volumes give it in N/m³, or foundation_stiffness of a material, or youngs_modulus, "
      "poisson_ratio and foundation_thickness.";
  const double k =
      parameters.Get(key, SeriesStiffness(parameters.material_i().foundation_stiffness,
                                          parameters.material_j().foundation_stiffness));
  if (!(k > 0.0) && !parameters.Has(key)) parameters.FailMissing(key, remedy);
  if (!(k > 0.0)) parameters.Fail(key, NumberText(k) + " is not positive. " + remedy);
  if (!parameters.Has(key)) {
    parameters.Note(key, NumberText(k, 6) + " N/m³, of the materials' foundations in series");
  }
  return k;
}

double PairFriction(std::optional<double> mu_i, std::optional<double> mu_j) {
  return Given(mu_i) && Given(mu_j) ? 2.0 * *mu_i * *mu_j / (*mu_i + *mu_j) : 0.0;
}

std::optional<double> PlaneModulus(const Material& material) {
  if (!Given(material.youngs_modulus)) return std::nullopt;
  const double nu = material.poisson_ratio.value_or(0.3);
  return *material.youngs_modulus / (1.0 - nu * nu);
}

double PlateShare(const Material& i, const Material& j, ContactGeometry geometry) {
  std::optional<double> k_i = i.foundation_stiffness, k_j = j.foundation_stiffness;
  const std::optional<double> E_i = PlaneModulus(i), E_j = PlaneModulus(j);
  if (geometry == ContactGeometry::kPoints && (E_i || E_j)) {
    k_i = E_i;
    k_j = E_j;
  }
  if (!Given(k_i) && !Given(k_j)) return 0.5;
  if (!Given(k_j)) return 1.0;
  if (!Given(k_i)) return 0.0;
  return *k_j / (*k_i + *k_j);
}

double PairRestitution(const Material& i, const Material& j, ContactGeometry geometry) {
  if (!Given(i.restitution)) return Given(j.restitution) ? *j.restitution : 0.0;
  if (!Given(j.restitution)) return *i.restitution;
  const double r_i = PlateShare(i, j, geometry);
  return r_i * *i.restitution + (1.0 - r_i) * *j.restitution;
}

double PairRestitutionOr(const Material& i, const Material& j, double otherwise) {
  return Given(i.restitution) || Given(j.restitution) ? PairRestitution(i, j) : otherwise;
}

std::optional<double> PairDissipation(const Material& i, const Material& j,
                                      ContactGeometry geometry) {
  if (!i.dissipation) return j.dissipation;
  if (!j.dissipation) return i.dissipation;
  const bool founded = Given(i.foundation_stiffness) || Given(j.foundation_stiffness);
  const double r_i = PlateShare(i, j, founded ? geometry : ContactGeometry::kPoints);
  return r_i * *i.dissipation + (1.0 - r_i) * *j.dissipation;
}

}  // namespace intervox::host
