/** @file What the clip rule knows of its error: leaf by leaf, and from level to level. */
#pragma once

#include "cuda/rules/clip/box.h"
#include "cuda/rules/clip/leaf.h"

namespace intervox::cuda::internal::clip {

/** Share of what is open that is stated once the changes fall as they should: twenty times what is
 left of it then. */
inline constexpr double kSettledShare = 0.02;
/** Coarse levels were seen to err by this many times what their changes say. */
inline constexpr double kClipDoubt = 3.0;
/** Fewer leaves than this say little about how the error falls. */
inline constexpr int kFewLeaves = 24;

/** Adds the volume [of y] that may lie between the surfaces of a leaf and their planes. It counts
 as open where a surface bends by as much as it rises over the cell, where two are nearly parallel
 and closer than they bend, and where a surface has no plane (`open`). */
INTERVOX_HD inline void AddDoubt(const HalfSpaceCut* cut, int count, bool open, const Vec3& c,
                                 const Vec3& h, ClipSums* sums) {
  // Surfaces closer than this many times what they bend are open.
  constexpr double kBends = 2;
  const double volume = 8 * h.x * h.y * h.z;
  double share = open ? 1 : 0;
  for (int i = 0; i < count; ++i) {
    if (cut[i].sag == 0) continue;
    const Vec3 n = Scaled(cut[i].n, h);
    const double most = Largest(Abs(n));
    if (!(cut[i].sag < most)) {
      share = 1;
      open = true;
      break;
    }
    share += 0.5 * cut[i].sag / most;
    const double length = Norm(n);
    for (int j = 0; j < count && !open; ++j) {
      if (j == i) continue;
      const Vec3 m = Scaled(cut[j].n, h);
      const double other = Norm(m), cosine = Dot(n, m) / (length * other);
      const double bend = kBends * (cut[i].sag / length + cut[j].sag / other);
      const double square = 1 - cosine * cosine;
      if (square > bend * bend) continue;
      const double gap = (cut[i].d - Dot(cut[i].n, c)) / length -
                         (cosine > 0 ? 1 : -1) * (cut[j].d - Dot(cut[j].n, c)) / other;
      open = std::fabs(gap) < bend + (square > 0 ? std::sqrt(square) : 0.0);
    }
  }
  const double v = volume * (share < 1 ? share : 1);
  if (open) {
    sums->open += v;
  } else {
    sums->rough += v * v;
  }
}

/** Difference of two results relative to V, to V times the radius of gyration and to five times the
 second moment: the largest. */
INTERVOX_HD inline double Difference(const ClipSums& x, const ClipSums& y) {
  const double v = y.v;
  if (!(v > 0)) return 1;
  const Vec3 c = y.m / v;
  const double r2 = Trace(y.second) / v - SquaredNorm(c);
  if (!(r2 > 0)) return 1;
  double out = std::fabs(x.v - v) / v;
  const double of_m = Norm(x.m - y.m - (x.v - v) * c) / (v * std::sqrt(r2));
  const Sym3 d = x.second - y.second;
  const Vec3 q0{2 * c.x * (x.m.x - y.m.x), 2 * c.y * (x.m.y - y.m.y), 2 * c.z * (x.m.z - y.m.z)};
  const double of_q = 0.2 * std::sqrt(SquaredNorm(d.diag - q0) + 2 * SquaredNorm(d.off)) / (v * r2);
  out = out > of_m ? out : of_m;
  return out > of_q ? out : of_q;
}

/** (C6), (C7), (C8): what is known of the error of an extrapolated volume, in volumes of y.

 Changes from level to level may be small by luck, and they see nothing of what lies within one
 leaf. So two sums over the leaves stand beside them: what the planes leave out with signs that
 differ from leaf to leaf, and what they do not resolve at all. tests/cuda/clip_error_test.cpp
 compares their sum with exact rules; the page has the count. */
struct ClipError {
  double change = 1;     ///< the last one of the extrapolated moments, relative
  double likely = 0;     ///< what the changes say
  double rough = 0;      ///< what planes and surfaces leave between them, with random signs
  double open = 0;       ///< what no plane resolves
  bool settled = false;  ///< changes fall as they should

  /** Takes the next level's result. */
  INTERVOX_HD void Refine(int level, const ClipSums& best, const ClipSums& next,
                          const ClipSums& fine) {
    const double before = change;
    change = Difference(best, next);
    // The last change is the error of the level before; the next is smaller by the same ratio, of
    // which no more than a sixth is believed, nor that one change was small by luck.
    double ratio = before > 0 ? change / before : 1;
    settled = level > 3 && fine.leaves >= kFewLeaves && next.v > 0 && ratio <= 0.5;
    ratio = ratio > 0.5 ? 0.5 : ratio < 1.0 / 6 ? 1.0 / 6 : ratio;
    double share = change * ratio;
    if (share < before / 36) share = before / 36;
    share *= kClipDoubt;
    likely = (level == 2 ? 1 : share) * std::fabs(next.v);
    rough = std::sqrt(fine.rough);
    open = fine.open;
  }

  /** The error that is stated. Once the order has set in, little of what is open is left. */
  INTERVOX_HD double Stated() const {
    return likely + rough + (settled ? kSettledShare : 1.0) * open;
  }
};

/** Rounding of a volume in the box [m³]: of coordinates, over its faces. */
INTERVOX_HD inline double RoundingOf(const LocalPair& pair, const ClipBox& box, double det) {
  double reach = 0;
  for (int i = 0; i < pair.count; ++i) {
    const Vec3 o = Abs(pair.surface[i].surface.o - box.p);
    const double far = o.x + o.y + o.z;
    reach = far > reach ? far : reach;
  }
  const Mat3 inverse = Inverse(box.F);
  const Vec3 extent = box.upper - box.lower;
  const double volume = extent.x * extent.y * extent.z * det;
  double area = 0;
  for (int i = 0; i < 3; ++i) area += volume / extent[i] * Norm(inverse.Row(i));
  return 2e-14 * reach * area;
}

}  // namespace intervox::cuda::internal::clip
