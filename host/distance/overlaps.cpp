#include "host/distance/overlaps.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "cuda/device/executor.h"
#include "cuda/engine.h"
#include "cuda/wall/wall_clearance.h"
#include "geometry/surface_eval.h"
#include "host/distance/box_axes.h"
#include "host/distance/common_ball.h"
#include "host/distance/ellipsoid_pair.h"
#include "host/distance/hull_pair.h"

namespace intervox::host {
namespace {

using distance::BallVerdict;
using distance::FindCommonBall;
using distance::HullVerdict;
using distance::kThin;
using distance::PosedCell;
using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

/** Tolerance of the engine's volume, of which only the sign counts. */
constexpr double kVolumeTolerance = 1e-2;
/** Poses that go together to a thread. */
constexpr int kGrain = 64;
/** The square of a gradient that says nothing of where the surface is. */
constexpr double kFlat = 1e-9;

double RadiusOf(const Cell& cell) { return Norm(cell.bounds.half); }

/** Whether a point of a cell's frame lies within all of its surfaces by levels of `deep`, which
 rise by about one metre each metre. */
bool IsWithin(const Cell& cell, const Vec3& p, double deep) {
  for (const Surface& s : cell.surfaces) {
    const double level =
        s.kind == SurfaceKind::kPlane ? Dot(s.PlaneNormal(), p - s.o) : geometry::Level(s, p);
    if (!(level < -deep)) return false;
  }
  return true;
}

/** Whether a wall of one cell fits a round hole of the other: boxes would have to follow the gap
 all around, and the engine takes such pairs in microseconds. */
bool IsFit(const Cell& a, const Cell& b) {
  constexpr double kAlike = 0.05;
  const auto alike = [](double p, double q) { return std::fabs(p - q) <= kAlike * std::fabs(q); };
  for (const Surface& s : a.surfaces) {
    if (s.kind == SurfaceKind::kPlane) continue;
    for (const Surface& t : b.surfaces) {
      if (s.kind != t.kind || s.side == t.side) continue;
      if (s.kind == SurfaceKind::kCone && alike(s.e.z * t.e.x, t.e.z * s.e.x)) return true;
      const bool round = s.kind == SurfaceKind::kCylinder || s.kind == SurfaceKind::kEllipsoid;
      if (round && alike(s.e.x, t.e.x)) return true;
    }
  }
  return false;
}

/** Whether a pair of cells overlaps by its volume. */
void AskEngine(const Cell& a, const Cell& b, const Pose& X_WA, const Pose& X_WB,
               OverlapTest* test) {
  const InterferenceMetrics m = ComputeMetrics({&a, &b, X_WA, X_WB, kVolumeTolerance});
  test->proof = OverlapProof::kVolume;
  // Grids state an error of all moments, of which the volume's is the least.
  const bool grids = a.grid.field != nullptr || b.grid.field != nullptr;
  const double least = grids ? m.volume - m.volume_error : m.volume_lo;
  const bool rough = m.status == Status::kToleranceNotMet && !(least > 0);
  if (m.status == Status::kInvalid || rough) {
    test->status = m.status;
    test->reason = "cells '" + a.name + "' and '" + b.name +
                   "': " + (rough ? "the engine meets no tolerance" : "a cell is malformed");
    return;
  }
  test->overlaps = m.status == Status::kUnbounded || m.volume > 0;
}

/** A pair of cells whose bounds overlap. */
struct CellPair {
  const Cell* a;
  const Cell* b;
  double nearness;  ///< how deep their bounding balls overlap [m]; infinite where one is unbounded
};

/** Planes show that a pair of cells is apart; for the solids the weakest proof of their cells
 * counts.
 */
void SetApart(OverlapTest* test) {
  if (test->proof == OverlapProof::kBounds) test->proof = OverlapProof::kPlanes;
}

/** A pair of cells in the frame of the first. */
struct Placed {
  const Cell& a;
  const Cell& b;
  const Pose& X_WA;
  Pose X_AB;
  double thin;  ///< balls of this radius are no overlap [m]
};

/** Levels may rise by less than one metre each metre: a point is inside by this often `thin`. */
constexpr double kInside = 1e3;

/** Says that a point of A's frame lies inside both cells. */
bool Found(const Placed& pair, const Vec3& p_A, OverlapTest* test) {
  test->overlaps = true;
  test->proof = OverlapProof::kPoint;
  test->p_W = pair.X_WA * p_A;
  return true;
}

/** Takes a point of A's frame for the answer where it lies inside both cells. */
bool TakePoint(const Placed& pair, const Vec3& p_A, OverlapTest* test) {
  ++test->steps;
  if (!IsWithin(pair.a, p_A, kInside * pair.thin)) return false;
  const Vec3 p_B = TransposeTimes(pair.X_AB.R, p_A - pair.X_AB.p);
  return IsWithin(pair.b, p_B, kInside * pair.thin) && Found(pair, p_A, test);
}

/** Moves a point of a cell's frame beyond the surfaces that it is outside of, one after the other.
 @param inside  levels that count as inside [m]
 @param beyond  how far to move it beyond a surface [m]
 @returns whether it was inside all of them */
bool MoveInside(const Cell& cell, double inside, double beyond, Vec3* p) {
  bool within = true;
  Vec3 x = *p;
  for (const Surface& s : cell.surfaces) {
    if (s.kind == SurfaceKind::kPlane) {  // which keeps f ≤ 0
      const Vec3 n = s.PlaneNormal();
      const double level = Dot(n, x - s.o);
      if (level < -inside) continue;
      within = false;
      x -= (level + beyond) * n;
      continue;
    }
    const double level = geometry::Level(s, x);
    if (level < -inside) continue;
    within = false;
    const Vec3 g = geometry::Gradient(s, x);
    const double square = SquaredNorm(g);
    if (square > kFlat) x -= (s.side * (level + beyond) / square) * g;
  }
  *p = x;
  return within;
}

/** Looks for a point inside both cells next to one on the boundary of one of them, or in a hollow,
 by moving it beyond their surfaces by turns. */
bool TakePointNear(const Placed& pair, Vec3 p_A, OverlapTest* test) {
  for (const double beyond : {1e-3, 1e-3, 1e-4, 1e-4, 1e-5, 1e-5}) {  // of the size
    ++test->steps;
    const double inside = kInside * pair.thin, far = beyond / kThin * pair.thin;
    const bool in_a = MoveInside(pair.a, inside, far, &p_A);
    Vec3 p_B = TransposeTimes(pair.X_AB.R, p_A - pair.X_AB.p);
    const bool in_b = MoveInside(pair.b, inside, far, &p_B);
    if (in_a && in_b) return Found(pair, p_A, test);
    if (!in_b) p_A = pair.X_AB * p_B;
  }
  return false;
}

/** Two balls: a point in the middle of what they share along the line of their centres. */
void TestBalls(const Surface& a, const Surface& b, const Pose& X_WA, const Pose& X_WB,
               OverlapTest* test) {
  const double r_a = std::sqrt(-a.c / a.e.x), r_b = std::sqrt(-b.c / b.e.x);
  const distance::Triple center = distance::Moved(X_WA, a.o),
                         way = distance::Moved(X_WB, b.o) - center;
  const double between = Norm(distance::ToVec3(way)), begin = std::max(-r_a, between - r_b),
               end = std::min(r_a, between + r_b);
  if (!(end - begin > kThin * std::min(r_a, r_b))) return SetApart(test);
  test->overlaps = true;
  test->proof = OverlapProof::kPoint;
  test->steps = 1;
  const double along = between > 0 ? 0.5 * (begin + end) / between : 0.0;
  test->p_W = distance::ToVec3(center + along * way);
}

/** Two ellipsoids. @returns whether that decides */
bool TestEllipsoids(const Placed& pair, const Surface& a, const Surface& b, OverlapTest* test) {
  Vec3 p_A;
  switch (distance::LookAtEllipsoids(a, b, pair.X_AB, pair.thin, &p_A, &test->steps)) {
    case HullVerdict::kApart:
      SetApart(test);
      return true;
    case HullVerdict::kMeet:
      return TakePoint(pair, p_A, test);
    default:
      return false;
  }
}

/** Cells that may be boxes, and grids, by the axes of the boxes around them. @returns whether that
 decides */
bool TestBoxes(const Placed& pair, const distance::BoxPair& boxes, bool grids, OverlapTest* test) {
  const Cell &a = pair.a, &b = pair.b;
  if (!grids && !(distance::MayBeItsBounds(a) && distance::MayBeItsBounds(b))) return false;
  const distance::EdgeAxes edges = distance::LookAlongEdges(boxes, pair.thin);
  if (edges == distance::EdgeAxes::kApart) return true;
  if (grids || edges == distance::EdgeAxes::kOpen) return false;
  if (!distance::IsItsBounds(a) || !distance::IsItsBounds(b)) return false;
  test->overlaps = true;
  test->proof = OverlapProof::kPlanes;
  return true;
}

/** Takes a point where both cells may be deep by the boxes around them. */
bool TakeDeepPoint(const Placed& pair, const distance::BoxPair& boxes, OverlapTest* test) {
  const Vec3 deep = distance::DeepPoint(boxes);
  const Pose& X = pair.a.bounds.X;
  return TakePoint(pair, distance::IsIdentity(X.R) ? X.p + deep : X * deep, test);
}

/** Bounded cells by their hulls. @returns whether that decides */
bool TestHulls(const Placed& pair, OverlapTest* test) {
  const double margin = distance::kHullRounding * (RadiusOf(pair.a) + RadiusOf(pair.b));
  Vec3 p_A;
  switch (distance::LookAtHulls(pair.a, pair.b, pair.X_AB, margin, &p_A, &test->steps)) {
    case HullVerdict::kApart:
      SetApart(test);
      return true;
    case HullVerdict::kMeet:
      return TakePointNear(pair, p_A, test);
    default:
      return false;
  }
}

/** A bounded cell and one of a single plane, by the point that is deepest beyond it. @returns
 whether that decides */
bool TestPlane(const Placed& pair, OverlapTest* test) {
  const bool first = pair.a.bounded;
  const Cell &body = first ? pair.a : pair.b, &space = first ? pair.b : pair.a;
  const Surface& plane = space.surfaces[0];
  if (space.surfaces.size() != 1 || plane.kind != SurfaceKind::kPlane) return false;
  const Pose X = first ? pair.X_AB : Inverse(pair.X_AB);  // of the plane in the body's frame
  const Vec3 n = X.R * plane.PlaneNormal();
  ++test->steps;
  const Vec3 foot = distance::FarthestPoint(distance::HullOf(body), -n);
  if (Dot(n, foot - X * plane.o) > distance::kHullRounding * RadiusOf(body)) {
    SetApart(test);
    return true;
  }
  return TakePointNear(pair, first ? foot : pair.X_AB * foot, test);
}

/** Takes a point between a peg and the wall of its hole, a share of their common length from an
 end.
 @param reaches  whether the peg reaches past the wall */
bool TakePointBeyondWall(const Placed& pair, double share, bool* reaches, OverlapTest* test) {
  Vec3 p_A;
  *reaches = PointBeyondWall(pair.a, pair.b, pair.X_AB, share, &p_A);
  return *reaches && TakePoint(pair, p_A, test);
}

/** A round wall in a round hole of nearly its size, beyond which it `reaches` or not. @returns
 whether that decides */
bool TestFit(const Placed& pair, const Pose& X_WB, bool reaches, OverlapTest* test) {
  for (const double share : {0.03, 0.2}) {
    if (reaches && TakePointBeyondWall(pair, share, &reaches, test)) return true;
  }
  if (WallClearance({&pair.a, &pair.b, pair.X_WA, X_WB}) > 0) {
    SetApart(test);
    return true;
  }
  OverlapTest asked = *test;
  AskEngine(pair.a, pair.b, pair.X_WA, X_WB, &asked);
  // Where edges meet, V may be below its rounding: then a point tells.
  if (asked.overlaps) *test = asked;
  return asked.overlaps;
}

/** Decides by cutting planes, or by boxes where a cell is not convex, or else by the volume. */
void Search(const Placed& pair, const Pose& X_WB, OverlapTest* test) {
  const Cell &a = pair.a, &b = pair.b;
  const bool first = a.bounded && (!b.bounded || RadiusOf(a) <= RadiusOf(b));
  const Vec3 origin = first ? pair.X_WA * a.bounds.X.p : X_WB * b.bounds.X.p;
  const PosedCell posed[2] = {{&a, {pair.X_WA.R, pair.X_WA.p - origin}},
                              {&b, {X_WB.R, X_WB.p - origin}}};
  Vec3 point;
  switch (FindCommonBall(posed, pair.X_AB, first ? 0 : 1, pair.thin, &point, &test->steps)) {
    case BallVerdict::kNone:
      return SetApart(test);
    case BallVerdict::kFound:
      test->overlaps = true;
      test->proof = OverlapProof::kPoint;
      test->p_W = point + origin;
      return;
    default:
      AskEngine(a, b, pair.X_WA, X_WB, test);
  }
}

/** Decides a pair of cells; sets `proof` where it overlaps or something weaker than planes was
 needed. What costs least comes first: two ellipsoids; axes of the boxes around the cells, with a
 point next to a peg's end and one where both may be deep; their hulls, with points nearby; then
 what decides in any case. */
void TestCells(const Cell& a, const Cell& b, const Pose& X_WA, const Pose& X_WB,
               OverlapTest* test) {
  constexpr double kNextToEnd = 4e-3;  // of the length that a peg and its hole have in common
  const Surface* round_a = distance::EllipsoidOf(a);
  const Surface* round_b = distance::EllipsoidOf(b);
  const bool round = round_a != nullptr && round_b != nullptr;
  if (round && geometry::IsSphere(*round_a) && geometry::IsSphere(*round_b)) {
    return TestBalls(*round_a, *round_b, X_WA, X_WB, test);
  }
  const double square_a = a.bounded ? SquaredNorm(a.bounds.half) : HUGE_VAL;
  const double square_b = b.bounded ? SquaredNorm(b.bounds.half) : HUGE_VAL;
  distance::Placement placement = distance::Relative(X_WA, X_WB);
  const Placed pair{a, b, X_WA, distance::ToPose(placement),
                    kThin * std::sqrt(square_a < square_b ? square_a : square_b)};
  if (round) {
    if (TestEllipsoids(pair, *round_a, *round_b, test)) return;
    return Search(pair, X_WB, test);
  }
  if (!a.bounded && !b.bounded) return AskEngine(a, b, X_WA, X_WB, test);
  const bool grids = a.grid.field != nullptr || b.grid.field != nullptr;
  const bool bounded = a.bounded && b.bounded;
  bool fit = false, reaches = false;
  if (bounded) {
    const distance::BoxPair boxes = distance::PlaceBoxes(a.bounds, b.bounds, &placement);
    if (distance::AreApartAlongFaces(boxes, pair.thin)) return;
    if (TestBoxes(pair, boxes, grids, test)) return;
    if (!grids) {
      fit = !a.polytope && !b.polytope && IsFit(a, b);
      if (fit && TakePointBeyondWall(pair, kNextToEnd, &reaches, test)) return;
      if (TakeDeepPoint(pair, boxes, test)) return;
    }
  }
  if (grids) return AskEngine(a, b, X_WA, X_WB, test);
  if (fit || (!bounded && IsFit(a, b))) {
    if (TestFit(pair, X_WB, reaches, test)) return;
  } else if (bounded ? TestHulls(pair, test) : TestPlane(pair, test)) {
    return;
  }
  Search(pair, X_WB, test);
}

/** Decides solids of several cells. */
[[gnu::noinline]] void TestSolids(std::span<const Cell> a, std::span<const Cell> b,
                                  const Pose& X_WA, const Pose& X_WB, OverlapTest* test) {
  std::vector<CellPair> pairs;
  for (const Cell& p : a) {
    const Vec3 center = X_WA * p.bounds.X.p;
    for (const Cell& q : b) {
      double nearness = HUGE_VAL;
      if (p.bounded && q.bounded) {
        nearness = RadiusOf(p) + RadiusOf(q) - Norm(center - X_WB * q.bounds.X.p);
      }
      if (nearness > 0) pairs.push_back({&p, &q, nearness});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const CellPair& p, const CellPair& q) { return p.nearness > q.nearness; });
  for (const CellPair& pair : pairs) {
    TestCells(*pair.a, *pair.b, X_WA, X_WB, test);
    if (!test->overlaps) continue;
    test->status = Status::kOk;  // whatever another pair left open
    test->reason.clear();
    break;
  }
}

}  // namespace

OverlapTest TestOverlap(std::span<const Cell> a, std::span<const Cell> b, const Pose& X_WA,
                        const Pose& X_WB) {
  OverlapTest out;
  if (a.empty() || b.empty()) {
    out.reason = "a solid is empty";
    return out;
  }
  if (!distance::AreFinite(X_WA, X_WB)) {
    out.reason = "a pose is not finite";
    return out;
  }
  out.status = Status::kOk;
  out.proof = OverlapProof::kBounds;
  if (a.size() == 1 && b.size() == 1) {
    TestCells(a[0], b[0], X_WA, X_WB, &out);
    return out;
  }
  TestSolids(a, b, X_WA, X_WB, &out);
  return out;
}

void TestOverlaps(std::span<const Cell> a, std::span<const Cell> b, std::span<const Pose> X_WA,
                  std::span<const Pose> X_WB, int threads, std::span<OverlapTest> tests) {
  cuda::ForEach(tests.size(), kGrain, threads,
                [&](std::size_t i) { tests[i] = TestOverlap(a, b, X_WA[i], X_WB[i]); });
}

bool Overlaps(std::span<const Cell> a, std::span<const Cell> b, const Pose& X_WA,
              const Pose& X_WB) {
  const OverlapTest test = TestOverlap(a, b, X_WA, X_WB);
  if (test.status != Status::kOk) throw std::runtime_error("Overlaps: " + test.reason);
  return test.overlaps;
}

}  // namespace intervox::host
