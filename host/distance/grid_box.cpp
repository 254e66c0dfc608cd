#include "host/distance/grid_box.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>

#include "geometry/grid/voxel_levels.h"

namespace intervox::host::distance {
namespace {

using geometry::CornerBit;
using geometry::CornerLevels;
using geometry::GridView;
using geometry::kBlockSide;
using geometry::UnitCorner;

/** What a plane's level rounds by over the voxels of a block. */
constexpr double kRounding = 1e-13;
/** A mean slope below this is no direction. */
constexpr double kFlattest = 0.05;

/** The mean of the differences along an axis. */
double DifferenceAlong(const CornerLevels& f, int axis) {
  double sum = 0.0;
  for (int k = 0; k < 8; ++k)
    sum += (CornerBit(k, axis) ? 0.25 : -0.25) * f[static_cast<std::size_t>(k)];
  return sum;
}

/** The least and largest of levels less a linear form, as they are found. */
struct Spread {
  double least = HUGE_VAL, most = -HUGE_VAL;

  void Take(double f) {
    least = std::fmin(least, f);
    most = std::fmax(most, f);
  }
};

/** Sets the plane of a mean slope from what levels less its form are at least. */
void SetPlane(const Vec3& slope, double least, GridBound* bound) {
  const double size = Norm(slope);
  bound->normal = slope / size;
  bound->reach = (kRounding - least) / size;
}

/** A trilinear function less a linear form is least at a corner. */
std::optional<GridBound> BoundVoxel(const GridView& grid, const NodeBox& box) {
  GridBound out{box, {}, 0.5 * (box.lower + box.upper), 0.0, {}};
  const geometry::VoxelAt voxel = geometry::FindVoxel(grid, out.middle);
  if (voxel.node == nullptr) return voxel.beyond < 0.0 ? std::optional(out) : std::nullopt;
  const Vec3 span = box.upper - box.lower;
  Vec3 first;
  for (int axis = 0; axis < 3; ++axis) first[axis] = std::floor(out.middle[axis]);
  const Vec3 from = box.lower - first;
  const CornerLevels nodes = geometry::LevelsAt(voxel.node);
  CornerLevels f;
  Spread levels;
  for (int k = 0; k < 8; ++k) {
    const Vec3 step = Scaled(UnitCorner(k), span);
    f[static_cast<std::size_t>(k)] = geometry::Interpolate(nodes, from + step);
    levels.Take(f[static_cast<std::size_t>(k)]);
  }
  if (levels.least > kRounding) return {};
  if (levels.most <= 0.0) return out;
  const Vec3 change{DifferenceAlong(f, 0), DifferenceAlong(f, 1), DifferenceAlong(f, 2)};
  const Vec3 slope{change.x / span.x, change.y / span.y, change.z / span.z};
  if (!(Norm(slope) > kFlattest)) {
    out.slack = span;
    return out;
  }
  Spread rest;
  Vec3 mixed;  // what the second differences of each axis with the others amount to
  for (int k = 0; k < 8; ++k) {
    const auto at = [&](int flipped) { return f[static_cast<std::size_t>(k ^ flipped)]; };
    Vec3 way;
    for (int axis = 0; axis < 3; ++axis) way[axis] = (CornerBit(k, axis) - 0.5) * change[axis];
    rest.Take(at(0) - way.x - way.y - way.z);
    const double xy = std::fabs(at(0) - at(4) - at(2) + at(6));
    const double yz = std::fabs(at(0) - at(2) - at(1) + at(3));
    const double zx = std::fabs(at(0) - at(1) - at(4) + at(5));
    mixed = Max(mixed, Vec3{xy + zx, xy + yz, yz + zx});
  }
  SetPlane(slope, rest.least, &out);
  mixed = Scaled(mixed, span);  // a product is given away by both: then the longer side is cut
  const double most = std::max({mixed.x, mixed.y, mixed.z});
  const double away = (rest.most - rest.least) / Norm(slope);
  if (most > 0.0 && away > kRounding) out.slack = (away / most) * mixed;
  return out;
}

/** Voxels of which no node is inside hold nothing; in the others levels less a linear form are
 least at nodes. */
std::optional<GridBound> BoundBlock(const GridView& grid, const NodeBox& box) {
  const geometry::VoxelAt first = geometry::FindVoxel(grid, box.lower + Vec3{0.5, 0.5, 0.5});
  GridBound out{box, {}, 0.5 * (box.lower + box.upper), 0.0, {}};
  if (first.node == nullptr) return first.beyond < 0.0 ? std::optional(out) : std::nullopt;
  constexpr int kMost = geometry::kBlockEdge;
  int count[3];
  for (int axis = 0; axis < 3; ++axis) {
    count[axis] = static_cast<int>(box.upper[axis] - box.lower[axis]);
  }
  constexpr std::size_t kVoxels = kMost * kMost * kMost;
  std::bitset<kVoxels> inside, mixed;
  Vec3 slope, least = box.upper, most = box.lower;
  const auto each = [&](const auto& body) {
    int index = 0;
    for (int i = 0; i < count[0]; ++i) {
      for (int j = 0; j < count[1]; ++j) {
        for (int k = 0; k < count[2]; ++k) {
          body(static_cast<std::size_t>(index++),
               first.node + (i * kBlockSide + j) * kBlockSide + k,
               Vec3{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
        }
      }
    }
  };
  each([&](std::size_t index, const float* node, const Vec3& at) {
    const CornerLevels f = geometry::LevelsAt(node);
    const auto [lo, hi] = std::minmax_element(f.begin(), f.end());
    if (*lo >= 0.0) return;  // what touches 0 from above bounds the solid in a voxel next to it
    inside[index] = true;
    least = Min(least, box.lower + at);
    most = Max(most, box.lower + at + Vec3{1, 1, 1});
    if (*hi <= 0.0) return;
    mixed[index] = true;
    slope += Vec3{DifferenceAlong(f, 0), DifferenceAlong(f, 1), DifferenceAlong(f, 2)};
  });
  if (inside.none()) return {};
  out.box = {least, most};
  const Vec3 span = most - least;
  if (mixed.none()) return out;
  const auto voxels = static_cast<double>(mixed.count());
  if (!(Norm(slope) > kFlattest * voxels)) {
    out.slack = span;
    return out;
  }
  slope = slope / voxels;
  double lowest = HUGE_VAL;
  Spread of_mixed;
  const Vec3 from = box.lower - out.middle;
  each([&](std::size_t index, const float* node, const Vec3& at) {
    if (!inside[index]) return;
    const CornerLevels f = geometry::LevelsAt(node);
    for (int k = 0; k < 8; ++k) {
      const double rest = f[static_cast<std::size_t>(k)] - Dot(slope, from + at + UnitCorner(k));
      lowest = std::fmin(lowest, rest);
      if (mixed[index]) of_mixed.Take(rest);
    }
  });
  SetPlane(slope, lowest, &out);
  const double away = (of_mixed.most - lowest) / Norm(slope);
  const double longest = std::max({span.x, span.y, span.z});
  if (away > kRounding) out.slack = away / (longest * longest) * Scaled(span, span);
  return out;
}

bool IsWithinVoxel(const NodeBox& box) {
  const Vec3 span = box.upper - box.lower;
  return span.x <= 1.0 && span.y <= 1.0 && span.z <= 1.0;
}

}  // namespace

geometry::OrientedBox PlacedGrid::BoxOf(const NodeBox& box) const {
  return {{X.R, PointOf(0.5 * (box.lower + box.upper))}, 0.5 * h * (box.upper - box.lower)};
}

std::optional<GridBound> BoundGrid(const GridView& grid, const NodeBox& box) {
  return IsWithinVoxel(box) ? BoundVoxel(grid, box) : BoundBlock(grid, box);
}

double LeastAlong(const GridBound& bound, const Vec3& along) {
  const Vec3 off = 0.5 * (bound.box.lower + bound.box.upper) - bound.middle;
  const Vec3 half = 0.5 * (bound.box.upper - bound.box.lower);
  // along · w ≥ along · w + λ (normal · w − reach) for all λ ≥ 0; the best is 0 or takes a
  // component away.
  const auto least = [&](double weight) {
    const Vec3 sum = along + weight * bound.normal;
    return Dot(sum, off) - Dot(Abs(sum), half) - weight * bound.reach;
  };
  double most = least(0.0);
  for (int axis = 0; axis < 3; ++axis) {
    const double weight = -along[axis] / bound.normal[axis];
    if (weight > 0.0 && std::isfinite(weight)) most = std::fmax(most, least(weight));
  }
  return most;
}

NodeBox HalfOf(const NodeBox& box, int axis, bool upper) {
  NodeBox out = box;
  double middle = 0.5 * (box.lower[axis] + box.upper[axis]);
  if (box.upper[axis] - box.lower[axis] > 1.0) middle = std::floor(middle);
  (upper ? out.lower : out.upper)[axis] = middle;
  return out;
}

Vec3 IntoSolid(const PlacedGrid& grid, Vec3 u) {
  constexpr int kMostSteps = 20;
  for (int k = 0; k < kMostSteps; ++k) {
    const geometry::LevelAt f = geometry::EvaluateExactly(grid.view, u);
    const double square = SquaredNorm(f.gradient);
    if (f.value <= 0.0 || !(square > kFlattest * kFlattest)) break;
    u = Max(grid.most.lower, Min(grid.most.upper, u - (f.value / square) * f.gradient));
  }
  return u;
}

}  // namespace intervox::host::distance
