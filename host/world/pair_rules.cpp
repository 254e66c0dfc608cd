#include "host/world/pair_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "host/contact/points/points.h"
#include "host/input/error.h"
#include "host/input/nearest.h"
#include "host/world/foundation.h"

namespace intervox::host {
namespace {

/** Throws a law's complaint, "normal.restitution: …", at its place in the file. */
[[noreturn]] void FailInModel(const Scene& scene, const std::string& name,
                              const ContactModelSettings& settings, const std::string& message) {
  const std::string key = message.substr(0, message.find(':'));
  const std::size_t dot = std::min(key.find('.'), key.size());
  const std::string part = key.substr(0, dot), rest = key.substr(std::min(dot + 1, key.size()));
  Place place = settings.places.Of(part);
  const std::pair<const char*, const ModelSettings&> parts[] = {{"normal", settings.normal},
                                                                {"friction", settings.friction},
                                                                {"rolling", settings.rolling},
                                                                {"spinning", settings.spinning}};
  for (const auto& [word, model] : parts) {
    if (part == word && model.places.self.file) place = model.places.Of(rest);
  }
  throw InputError(place.Text(scene.path.string()) + ": contact_models." + name + "." + message);
}

std::uint64_t KeyOf(int i, int j) {
  const auto low = static_cast<std::uint64_t>(std::min(i, j));
  return low << 32U | static_cast<std::uint64_t>(std::max(i, j));
}

const std::string& ModelName(const Scene& scene, std::size_t entry) {
  static const std::string otherwise = "default";
  return scene.contacts.empty() ? otherwise : scene.contacts[entry].model;
}

/** The power of the depth with which the energy of a point grows: the force's and 1. */
double EnergyPower(const ContactModel& model) {
  constexpr double kSteps = 1 << 20;  // without the rounding of a logarithm
  NormalForce slope;
  const PatchLatch none;
  const double ratio =
      model.PointForce(2.0, none, &slope).f_e / model.PointForce(1.0, none, &slope).f_e;
  return std::isfinite(ratio) && ratio > 1.0 ? 1.0 + std::round(kSteps * std::log2(ratio)) / kSteps
                                             : points::kHertzPower;
}

PairRule MakeRule(const Scene& scene, const std::string& name, int i, int j) {
  const auto found = scene.contact_models.find(name);
  const ContactModelSettings settings =
      found == scene.contact_models.end() ? ContactModelSettings{} : found->second;
  const BodySettings& a = scene.bodies[static_cast<std::size_t>(i)];
  const BodySettings& b = scene.bodies[static_cast<std::size_t>(j)];
  // A law that is given its constant does not ask what the bodies' layers would make it.
  const auto& given = settings.normal.parameters;
  const bool points = settings.geometry == ContactGeometry::kPoints;
  const bool asks = !points && !given.contains("stiffness") && !given.contains("coefficient");
  const auto material = [&](const BodySettings& body) {
    if (asks) return MaterialWithFoundation(scene, body);
    return body.material.empty() ? Material{} : scene.materials.at(body.material);
  };
  const Material material_a = material(a), material_b = material(b);
  PairRule rule;
  rule.name = name;
  try {
    rule.model = MakeContactModel(settings, material_a, material_b);
  } catch (const InputError& error) {
    FailInModel(scene, name, settings,
                std::string(error.what()) + " It is the model of bodies " + a.name + " and " +
                    b.name + ".");
  }
  rule.patches.normal.eigenvector = settings.direction == NormalDirection::kEigenvector;
  rule.patches.normal.j_error = scene.engine.tolerance;
  rule.patches.points = points;
  rule.patches.curvatures =
      points ? rule.model->normal->FollowsCurvature() : rule.model->rolling->FollowsCurvature();
  if (points) rule.patches.power = EnergyPower(*rule.model);
  rule.patches.per_cell_pair = points || settings.cells == ContactCells::kPairs;
  rule.patches.whole_pair = rule.model->normal->Conserves() && !points;
  if (rule.patches.whole_pair && rule.patches.normal.eigenvector) {
    FailInModel(scene, name, settings,
                "direction: eigenvector is not the gradient of the volume, along which the law \"" +
                    settings.normal.model + "\" acts. Use area_vector.");
  }
  if (rule.patches.whole_pair && rule.patches.per_cell_pair) {
    FailInModel(scene, name, settings,
                "cells: pairs cannot share the potential of the law \"" + settings.normal.model +
                    "\", which is one of the whole pair of bodies. Use patches.");
  }
  if (points && settings.rolling.model != "none") {
    FailInModel(scene, name, settings,
                "rolling: a point has no area, and no rolling resistance. Remove it, or use "
                "geometry: volumes.");
  }
  // What the scene's version adds by itself has no place.
  if (points && settings.spinning.model != "none" && settings.spinning.places.self.file) {
    FailInModel(scene, name, settings,
                "spinning: a point has no area, and no spinning friction. Remove it, or use "
                "geometry: volumes.");
  }
  // With relaxation a contact starts from zero force at the step that detects it.
  rule.patches.born_in_stages = rule.model->relaxation_time <= 0;
  return rule;
}

}  // namespace

/** A kind of pair that the scene has, and its first pair of bodies. */
struct PairRules::Met {
  std::pair<int, int> bodies;
  int entry = 0;
};

PairRules::PairRules(const Scene& scene, const BodyNames& names, std::span<const RigidBody> bodies,
                     const std::vector<bool>& has_cells,
                     std::span<const std::pair<int, int>> apart) {
  for (const auto& [i, j] : apart) apart_.insert(KeyOf(i, j));
  ReadBodies(scene, bodies, has_cells);
  ReadEntries(scene, names);
  const auto models = models_.empty() ? 0 : *std::max_element(models_.begin(), models_.end()) + 1;
  table_.assign(static_cast<std::size_t>(models) * materials_ * materials_, -1);
  for (const Met& met : MetKinds()) {
    const auto [i, j] = met.bodies;
    std::int32_t& at = table_[Cell(models_[static_cast<std::size_t>(met.entry)],
                                   bodies_[static_cast<std::size_t>(i)].material,
                                   bodies_[static_cast<std::size_t>(j)].material)];
    if (at >= 0) continue;
    at = static_cast<std::int32_t>(rules_.size());
    rules_.push_back(MakeRule(scene, ModelName(scene, static_cast<std::size_t>(met.entry)), i, j));
    have_points_ = have_points_ || rules_.back().patches.points;
    have_distributed_ = have_distributed_ || rules_.back().model->friction->IsDistributed();
  }
}

const PairRule* PairRules::Find(int i, int j) const {
  if (i > j) std::swap(i, j);
  const Body& a = bodies_[static_cast<std::size_t>(i)];
  const Body& b = bodies_[static_cast<std::size_t>(j)];
  if (i == j || !a.cells || !b.cells || !(a.free || b.free) || AreApart(i, j)) return nullptr;
  const int entry = Entry(i, j);
  if (entry == kNoEntry || models_[static_cast<std::size_t>(entry)] < 0) return nullptr;
  const std::int32_t rule =
      table_[Cell(models_[static_cast<std::size_t>(entry)], a.material, b.material)];
  return rule < 0 ? nullptr : &rules_[static_cast<std::size_t>(rule)];
}

bool PairRules::AreApart(int i, int j) const {
  return !apart_.empty() && apart_.contains(KeyOf(i, j));
}

/** The first contact that names the two, in the scene's order. */
int PairRules::Entry(int i, int j) const {
  const Body& a = bodies_[static_cast<std::size_t>(i)];
  const Body& b = bodies_[static_cast<std::size_t>(j)];
  int entry = std::min({a.entry, b.entry, entry_of_all_});
  if (a.by_name && b.by_name) {
    const auto named = named_.find(KeyOf(i, j));
    if (named != named_.end()) entry = std::min(entry, named->second);
  }
  return entry;
}

std::size_t PairRules::Cell(int model, int material_i, int material_j) const {
  return (static_cast<std::size_t>(model) * materials_ + static_cast<std::size_t>(material_i)) *
             materials_ +
         static_cast<std::size_t>(material_j);
}

void PairRules::ReadBodies(const Scene& scene, std::span<const RigidBody> bodies,
                           const std::vector<bool>& has_cells) {
  std::map<std::pair<std::string, double>, int> materials;  // by name and thickness
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto next = static_cast<int>(materials.size());
    Body body;
    const BodySettings& settings = scene.bodies[b];
    const double thickness = settings.foundation_thickness.value_or(0.0);
    body.material = materials.emplace(std::pair(settings.material, thickness), next).first->second;
    body.free = bodies[b].kind == BodyKind::kFree;
    body.cells = has_cells[b];
    bodies_.push_back(body);
  }
  materials_ = materials.size();
}

void PairRules::ReadEntries(const Scene& scene, const BodyNames& names) {
  if (scene.contacts.empty()) {
    models_ = {0};
    entry_of_all_ = 0;
    return;
  }
  std::unordered_map<std::string, int> models;
  for (const ContactSettings& contact : scene.contacts) {
    const auto entry = static_cast<int>(models_.size());
    const std::string key = "contacts[" + std::to_string(entry) + "]";
    const auto fail = [&](const std::string& part, const std::string& what) {
      FailAt(contact.places.Of(part), scene.path.string(), fmt::format("{}.{}", key, part), what);
    };
    const bool none = contact.model == "none";
    if (!none && contact.model != "default" && !scene.contact_models.contains(contact.model)) {
      fail("model", "no contact model is named '" + contact.model + "'. " +
                        Suggest(contact.model, Names(scene.contact_models)));
    }
    const auto next = static_cast<int>(models.size());
    models_.push_back(none ? -1 : models.emplace(contact.model, next).first->second);

    const auto index = [&](const std::string& name, const std::string& part) {
      return name == "*"
                 ? -1
                 : names.Require(name, contact.places.Of(part), fmt::format("{}.{}", key, part));
    };
    const int i = index(contact.bodies.first, "bodies[0]");
    const int j = index(contact.bodies.second, "bodies[1]");
    if (i == j && i >= 0) fail("bodies", "a body does not touch itself. Name two bodies.");
    bool fresh = false;
    if (i >= 0 && j >= 0) {
      bodies_[static_cast<std::size_t>(i)].by_name = true;
      bodies_[static_cast<std::size_t>(j)].by_name = true;
      fresh = named_.emplace(KeyOf(i, j), entry).second;
    } else {
      int& first = i == j ? entry_of_all_ : bodies_[static_cast<std::size_t>(std::max(i, j))].entry;
      fresh = first == kNoEntry;
      if (fresh) first = entry;
    }
    if (!fresh) {
      fail("bodies", "a contact of these two bodies stands above already. Remove one of them.");
    }
  }
}

/** The first pair of bodies, one from each group, whose contact is `entry`; {−1, −1}: none has. */
std::pair<int, int> PairRules::FirstPair(const std::vector<int>& group_i,
                                         const std::vector<int>& group_j, int entry) const {
  for (const int i : group_i) {
    if (i >= group_j.back()) break;
    for (auto j = std::upper_bound(group_j.begin(), group_j.end(), i); j != group_j.end(); ++j) {
      if (Entry(i, *j) == entry && !AreApart(i, *j)) return {i, *j};
    }
  }
  return {-1, -1};
}

/** The kinds of pairs that can touch, by their first pair of bodies in the scene's order. Bodies
 that are alike are taken together, so that not every pair is looked at. */
std::vector<PairRules::Met> PairRules::MetKinds() const {
  using Kind = std::tuple<int, int, bool>;  // material, entry, free
  std::map<Kind, std::vector<int>> alike;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    if (!body.cells) continue;
    alike[{body.material, body.entry, body.free}].push_back(static_cast<int>(b));
  }
  std::vector<Met> met;
  const auto add = [&](std::pair<int, int> bodies, int entry) {
    if (models_[static_cast<std::size_t>(entry)] >= 0) met.push_back({bodies, entry});
  };
  for (const auto& [kind_i, group_i] : alike) {
    for (const auto& [kind_j, group_j] : alike) {
      const int entry = std::min({std::get<1>(kind_i), std::get<1>(kind_j), entry_of_all_});
      const bool free = std::get<2>(kind_i) || std::get<2>(kind_j);
      if (entry == kNoEntry || !free) continue;
      const std::pair<int, int> first = FirstPair(group_i, group_j, entry);
      if (first.first >= 0) add(first, entry);
    }
  }
  for (const auto& [key, entry] : named_) {
    const auto i = static_cast<int>(key >> 32U), j = static_cast<int>(key & 0xffffffffU);
    const Body& a = bodies_[static_cast<std::size_t>(i)];
    const Body& b = bodies_[static_cast<std::size_t>(j)];
    const bool can_touch = a.cells && b.cells && (a.free || b.free) && !AreApart(i, j);
    if (can_touch && Entry(i, j) == entry) add({i, j}, entry);
  }
  std::sort(met.begin(), met.end(), [](const Met& a, const Met& b) { return a.bodies < b.bodies; });
  return met;
}

}  // namespace intervox::host
