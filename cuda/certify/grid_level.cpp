#include "cuda/certify/grid_level.h"

#include <cmath>

#include "geometry/grid/voxel_levels.h"

namespace intervox::cuda::internal::certify {
namespace {

using geometry::Bounds;
using geometry::CornerLevels;
using geometry::internal::MaxOf;
using geometry::internal::MinOf;

/** Rounding of a level [voxels]: some hundred roundings of levels and coordinates in one voxel, of
 which none is more than the widest band. */
constexpr double kRounding = 1e-12;
/** Levels beyond the band are known by their sign alone. */
constexpr double kFar = 1e3;
/** Voxels along an axis that are read one by one. */
constexpr int kMostVoxels = 4;

/** The box around a mapped one [voxels]. */
struct Around {
  Vec3 y, lower, upper;
};

Around AroundOf(const GridField& field, const Vec3& c, const Vec3& h) {
  Around out{field.m + field.M * c, {}, {}};
  Vec3 reach;
  for (int i = 0; i < 3; ++i) reach[i] = Dot(Abs(field.M.Row(i)), h) + field.off;
  out.lower = out.y - reach;
  out.upper = out.y + reach;
  return out;
}

/** What the field may change by where y is off. */
double Slack(const GridField& field) {
  return kRounding + 4 * MaxOf(field.view.slope, 1.0) * field.off;
}

/** (G1): the field of the voxel that holds `in` is a quadratic form but for f_xyz w_x w_y w_z. */
BoxLevel OfVoxel(const GridField& field, const Around& box, const Vec3& h, const Vec3& in) {
  const CornerLevels f = geometry::LevelsAt(geometry::FindVoxel(field.view, in));
  BoxLevel out;
  out.slack = Slack(field);
  Vec3 t;
  for (int i = 0; i < 3; ++i) t[i] = box.y[i] - std::floor(in[i]);
  out.f = geometry::Interpolate(f, t);
  Mat3 W = field.M;  // w = W v
  for (int i = 0; i < 3; ++i) W.Row(i) = Scaled(W.Row(i), h);
  out.g = TransposeTimes(W, geometry::InterpolatedGradient(f, t));
  const auto gradient_at = [&](int axis, double at) {
    Vec3 place = t;
    place[axis] = at;
    return geometry::InterpolatedGradient(f, place);
  };
  double third = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double second = gradient_at(j, 1)[i] - gradient_at(j, 0)[i];  // f_ij
    const Vec3 p = W.Row(i), q = W.Row(j);
    out.a += second * Scaled(p, q);
    out.b +=
        0.5 * second * Vec3{p.y * q.z + p.z * q.y, p.x * q.z + p.z * q.x, p.x * q.y + p.y * q.x};
    if (i > 0) continue;
    Vec3 low = t, high = t;
    low[k] = 0;
    high[k] = 1;
    const auto mixed = [&](Vec3 place) {
      Vec3 up = place, down = place;
      up[j] = 1;
      down[j] = 0;
      return geometry::InterpolatedGradient(f, up)[i] - geometry::InterpolatedGradient(f, down)[i];
    };
    third = mixed(high) - mixed(low);
  }
  double cubic = std::fabs(third);
  for (int i = 0; i < 3; ++i) cubic *= Dot(Abs(field.M.Row(i)), h);
  out.slack += cubic;
  out.low = -out.slack;
  out.high = out.slack;
  return out;
}

/** The change along an axis from one side of a voxel to the other, at `at` on it. */
double ChangeAlong(const CornerLevels& f, int axis, Vec3 at) {
  at[axis] = 0;
  const double from = geometry::Interpolate(f, at);
  at[axis] = 1;
  return geometry::Interpolate(f, at) - from;
}

/** (G4): the levels of two voxels that meet along an axis. */
GridLevels OverTwoVoxels(const GridField& field, const Around& box, const Vec3& h, int axis) {
  const double end = std::floor(box.lower[axis]) + 1;
  Vec3 in[2];
  CornerLevels f[2];
  for (std::size_t n = 0; n < 2; ++n) {
    in[n] = 0.5 * (box.lower + box.upper);
    in[n][axis] = n == 0 ? end - 0.5 : end + 0.5;
    f[n] = geometry::LevelsAt(geometry::FindVoxel(field.view, in[n]));
  }
  double least = -kRounding;
  for (int corner = 0; corner < 4; ++corner) {
    Vec3 at;
    for (int i = 0, bit = 0; i < 3; ++i) {
      if (i == axis) continue;
      at[i] = ((corner >> bit++ & 1) != 0 ? box.upper[i] : box.lower[i]) - std::floor(in[0][i]);
    }
    least = MinOf(least, ChangeAlong(f[1], axis, at) - ChangeAlong(f[0], axis, at));
  }
  const double less = -least * MaxOf(end - box.lower[axis], box.upper[axis] - end);
  GridLevels out;
  out.count = 2;
  for (std::size_t n = 0; n < 2; ++n) {
    BoxLevel& level = out.level[n];
    level = OfVoxel(field, box, h, in[n]);
    level.slack += less;
    level.low -= less;
    level.high += less;
  }
  return out;
}

/** (G2): less a linear form the field is least and largest at corners of the voxels' parts. */
BoxLevel OverVoxels(const GridField& field, const Around& box, const Vec3& h) {
  double cut[3][kMostVoxels + 2];
  int count[3];
  for (int i = 0; i < 3; ++i) {
    int n = 0;
    cut[i][n++] = box.lower[i];
    for (double at = std::floor(box.lower[i]) + 1; at < box.upper[i]; at += 1) cut[i][n++] = at;
    cut[i][n++] = box.upper[i];
    count[i] = n;
  }
  Vec3 gradient;
  Bounds rest{1e300, -1e300};
  for (const bool slope_is_known : {false, true}) {
    for (int i = 0; i + 1 < count[0]; ++i) {
      for (int j = 0; j + 1 < count[1]; ++j) {
        for (int k = 0; k + 1 < count[2]; ++k) {
          const Vec3 lower{cut[0][i], cut[1][j], cut[2][k]};
          const Vec3 upper{cut[0][i + 1], cut[1][j + 1], cut[2][k + 1]};
          const Vec3 middle = 0.5 * (lower + upper);
          const CornerLevels f = geometry::LevelsAt(geometry::FindVoxel(field.view, middle));
          const Vec3 first{std::floor(middle.x), std::floor(middle.y), std::floor(middle.z)};
          if (!slope_is_known) {
            const Vec3 span = upper - lower;
            gradient +=
                span.x * span.y * span.z * geometry::InterpolatedGradient(f, middle - first);
            continue;
          }
          for (int corner = 0; corner < 8; ++corner) {
            const Vec3 at = lower + Scaled(geometry::UnitCorner(corner), upper - lower);
            const double level = geometry::Interpolate(f, at - first) - Dot(gradient, at - box.y);
            rest = {MinOf(rest.lo, level), MaxOf(rest.hi, level)};
          }
        }
      }
    }
    const Vec3 span = box.upper - box.lower;
    if (!slope_is_known) gradient = gradient / (span.x * span.y * span.z);
  }
  BoxLevel out;
  out.smooth = false;
  out.f = 0.5 * (rest.lo + rest.hi);
  out.g = Scaled(TransposeTimes(field.M, gradient), h);
  out.slack = Slack(field);
  out.high = 0.5 * (rest.hi - rest.lo) + out.slack;
  out.low = -out.high;
  return out;
}

/** (G3): by the blocks' extents and the slope of the field. */
BoxLevel OverBlocks(const GridField& field, const Around& box) {
  const Bounds blocks = geometry::BlockBounds(field.view, box.lower, box.upper);
  const double slack = Slack(field), reach = field.view.slope * 0.5 * Norm(box.upper - box.lower);
  Bounds range{MaxOf(blocks.lo, -kFar), MinOf(blocks.hi, kFar)};
  if (reach < field.view.band) {
    const double f = geometry::EvaluateExactly(field.view, box.y).value;
    range = {MaxOf(range.lo, f - reach), MinOf(range.hi, f + reach)};
  }
  BoxLevel out;
  out.smooth = false;
  out.slack = slack;
  out.f = 0.5 * (range.lo + range.hi);
  out.high = 0.5 * (range.hi - range.lo) + slack;
  out.low = -out.high;
  return out;
}

}  // namespace

GridField MapGrid(const geometry::GridPart& part, const Pose& X_LG, const Vec3& p, const Mat3& F) {
  GridField out;
  out.view = part.field->View();
  const double h = part.voxel_size;
  out.m = TransposeTimes(X_LG.R, p - X_LG.p) / h;
  out.M = Transpose(X_LG.R) * F;
  for (int i = 0; i < 3; ++i) out.M.Row(i) = out.M.Row(i) / h;
  // As of surfaces, of twice as many products.
  constexpr double kPrincipal = 64 * 1.2e-16;
  const Vec3 sizes =
      Abs(F.row0) + Abs(F.row1) + Abs(F.row2) + Abs(p) + Abs(X_LG.p) + Abs(part.X_CG.p);
  out.off = kPrincipal * (sizes.x + sizes.y + sizes.z) / h;
  return out;
}

BoxLevel LevelOver(const GridField& field, const Vec3& c, const Vec3& h) {
  const Around box = AroundOf(field, c, h);
  bool one = true, few = true;
  for (int i = 0; i < 3; ++i) {
    const double first = std::floor(box.lower[i]);
    // Beyond a node by what y may be off the slack allows for.
    one = one && box.upper[i] - 2 * field.off <= first + 1;
    few = few && std::ceil(box.upper[i]) - first <= kMostVoxels;
  }
  return one   ? OfVoxel(field, box, h, 0.5 * (box.lower + box.upper))
         : few ? OverVoxels(field, box, h)
               : OverBlocks(field, box);
}

GridLevels Divided(const GridField& field, const Vec3& c, const Vec3& h, const BoxLevel& level) {
  GridLevels out;
  out.level[0] = level;
  const double width = level.high - level.low;
  if (width < 8 * level.slack) return out;
  const Around box = AroundOf(field, c, h);
  int ends = 0, along = 0;
  for (int i = 0; i < 3; ++i) {
    const double voxels = std::ceil(box.upper[i] - 2 * field.off) - std::floor(box.lower[i]);
    if (!(voxels > 1)) continue;
    ends += voxels > 2 ? 2 : 1;
    along = i;
  }
  if (ends != 1) return out;
  const GridLevels two = OverTwoVoxels(field, box, h, along);
  double sum = 0;
  for (const BoxLevel& one : two.level) {
    const Bounds bend = BendOf(one);
    sum += bend.hi - bend.lo;
  }
  return sum < width ? two : out;
}

}  // namespace intervox::cuda::internal::certify
