/** @file Reads the parameters of one law from its settings, and complains well. */
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/scene/scene.h"

namespace intervox::host {

/** The parameters of one law: ModelSettings, and the two bodies' materials for what is not given.
 Messages begin with the key, as in "normal.restitution: 0.001 is below 0.01 (allowed: …"; the scene
 reader puts file and line before them. */
class Parameters {
 public:
  /** @param part  normal, friction, rolling or spinning */
  Parameters(std::string part, const ModelSettings& settings, const Material& material_i,
             const Material& material_j, ContactGeometry geometry = ContactGeometry::kVolumes);

  /** Whether the law acts at points: its measure of compliance is a depth [m], not a volume. */
  bool AtPoints() const { return geometry_ == ContactGeometry::kPoints; }
  /** What bodies touch in. */
  ContactGeometry geometry() const { return geometry_; }

  /** A number; `fallback` when absent. @throws InputError when it is not finite. */
  double Get(const std::string& key, double fallback);
  /** A number that must be there. */
  double Require(const std::string& key);
  /** A number in [low, high]. `remedy` ends the message. */
  double InRange(const std::string& key, double fallback, double low, double high,
                 const std::string& remedy);
  /** A switch: 0 or 1. */
  bool IsOn(const std::string& key, bool fallback);
  /** One of the named choices, the first being the default. */
  std::string Choice(const std::string& key, const std::vector<std::string>& allowed);
  /** Whether the scene gives it, as a number or as a map. */
  bool Has(const std::string& key) const;
  /** The map that the scene gives for a key that may have one; null: none. */
  const ParameterGroup* Group(const std::string& key);
  /** The name of the law. */
  const std::string& model() const { return settings_.model; }
  /** Material of body i. */
  const Material& material_i() const { return material_i_; }
  /** Material of body j. */
  const Material& material_j() const { return material_j_; }
  /** Adds a remark that does not refuse the scene. */
  void Warn(const std::string& key, const std::string& message);
  /** Notes what a key that is not given has been taken to be. */
  void Note(const std::string& key, const std::string& value);
  /** Throws an InputError about a key. */
  [[noreturn]] void Fail(const std::string& key, const std::string& message) const;
  /** Throws an InputError about a key that is not given, with what may be its misspelling. */
  [[noreturn]] void FailMissing(const std::string& key, const std::string& remedy) const;
  /** Refuses parameters and choices that nothing asked for, naming the nearest known one. */
  void RefuseUnknown() const;
  /** The keys that have been asked for so far, given or not. */
  const std::set<std::string>& Known() const { return known_; }
  /** What was taken for keys that are not given, as in "friction.sigma_0 = 4000 1/m, …". */
  const std::vector<std::string>& notes() const { return notes_; }
  /** The remarks so far. */
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::string part_;
  const ModelSettings& settings_;
  const Material& material_i_;
  const Material& material_j_;
  ContactGeometry geometry_;
  std::set<std::string> known_, groups_;
  std::vector<std::string> warnings_, notes_;
};

/** "1e-05" style text of a number for messages: the shortest that reads back the same, or rounded
 to that many significant `digits`. */
std::string NumberText(double value, int digits = 0);

/** 1/k = 1/k_i + 1/k_j, Gonthier (4.132); an absent one counts as rigid; 0 if both are absent. */
double SeriesStiffness(std::optional<double> k_i, std::optional<double> k_j);
/** k_v of a law: the key's value, or else the two materials' foundation stiffnesses in series.
 @throws InputError when there is neither, or it is not positive. */
double PositiveStiffness(Parameters& parameters, const std::string& key);
/** μ = 2 μ_i μ_j/(μ_i + μ_j); 0 when either is 0 or absent. */
double PairFriction(std::optional<double> mu_i, std::optional<double> mu_j);
/** Restitution of a pair: each body's, weighted by its share of the compression. A body without one
 takes the other's; 0 if neither has one. */
double PairRestitution(const Material& i, const Material& j,
                       ContactGeometry geometry = ContactGeometry::kVolumes);
/** The same; `otherwise` if neither has one. */
double PairRestitutionOr(const Material& i, const Material& j, double otherwise);
/** Dissipation of a pair [s/m], d = (E_j d_i + E_i d_j)/(E_i + E_j): each body's, weighted by its
 share of the compression, by foundations or moduli as PlateShare() has it; of volumes without
 foundations by moduli, too. A body without one takes the other's; none if neither has one. */
std::optional<double> PairDissipation(const Material& i, const Material& j,
                                      ContactGeometry geometry);
/** Share of the compression, and so of the contact plate's motion, that body i takes: r_j = 1 − r_i
 weighs body j's spin; ½ when neither stiffness is known. Returns r_i = k_j/(k_i + k_j) of Gonthier
 (4.127), k the foundations' stiffnesses; at points E/(1 − ν²) where a material has a modulus, by
 which Hertz' law shares the depth. A body without stiffness is rigid beside one that has it. */
double PlateShare(const Material& i, const Material& j,
                  ContactGeometry geometry = ContactGeometry::kVolumes);
/** E/(1 − ν²) of a material [Pa], ν 0.3 where it is not given; none without a modulus. */
std::optional<double> PlaneModulus(const Material& material);

}  // namespace intervox::host
