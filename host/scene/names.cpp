#include "host/scene/names.h"

#include <array>

namespace intervox::host {
namespace {

constexpr std::array kRules = {Named<LeafRule>{"auto", LeafRule::kAuto},
                               Named<LeafRule>{"polytope", LeafRule::kPolytope},
                               Named<LeafRule>{"flux", LeafRule::kFlux},
                               Named<LeafRule>{"polar", LeafRule::kPolar},
                               Named<LeafRule>{"slice", LeafRule::kSlice},
                               Named<LeafRule>{"column", LeafRule::kColumn},
                               Named<LeafRule>{"clip", LeafRule::kClip},
                               Named<LeafRule>{"center", LeafRule::kCenter},
                               Named<LeafRule>{"fraction", LeafRule::kFraction},
                               Named<LeafRule>{"voxel", LeafRule::kVoxel}};

constexpr std::array kDirections = {
    Named<NormalDirection>{"area_vector", NormalDirection::kAreaVector},
    Named<NormalDirection>{"eigenvector", NormalDirection::kEigenvector}};

constexpr std::array kCells = {Named<ContactCells>{"patches", ContactCells::kPatches},
                               Named<ContactCells>{"pairs", ContactCells::kPairs}};

constexpr std::array kGeometries = {Named<ContactGeometry>{"volumes", ContactGeometry::kVolumes},
                                    Named<ContactGeometry>{"points", ContactGeometry::kPoints}};

constexpr std::array kJoints = {Named<JointType>{"revolute", JointType::kRevolute},
                                Named<JointType>{"prismatic", JointType::kPrismatic},
                                Named<JointType>{"spherical", JointType::kSpherical},
                                Named<JointType>{"fixed", JointType::kFixed}};

constexpr std::array kLattices = {Named<LatticeKind>{"gyroid", LatticeKind::kGyroid},
                                  Named<LatticeKind>{"schwarz_p", LatticeKind::kSchwarzP},
                                  Named<LatticeKind>{"diamond", LatticeKind::kDiamond}};

constexpr std::array kStatuses = {
    Named<Status>{"ok", Status::kOk}, Named<Status>{"disjoint", Status::kDisjoint},
    Named<Status>{"tolerance_not_met", Status::kToleranceNotMet},
    Named<Status>{"unbounded", Status::kUnbounded}, Named<Status>{"invalid", Status::kInvalid}};

}  // namespace

std::span<const Named<LeafRule>> NamesOf(LeafRule) { return kRules; }
std::span<const Named<NormalDirection>> NamesOf(NormalDirection) { return kDirections; }
std::span<const Named<ContactCells>> NamesOf(ContactCells) { return kCells; }
std::span<const Named<ContactGeometry>> NamesOf(ContactGeometry) { return kGeometries; }
std::span<const Named<JointType>> NamesOf(JointType) { return kJoints; }
std::span<const Named<LatticeKind>> NamesOf(LatticeKind) { return kLattices; }
std::span<const Named<Status>> NamesOf(Status) { return kStatuses; }

std::string Choice(const std::vector<std::string>& words) {
  std::string choice;
  for (const std::string& word : words) choice += (choice.empty() ? "" : "|") + word;
  return choice;
}

}  // namespace intervox::host
