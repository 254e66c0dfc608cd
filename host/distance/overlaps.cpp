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
#include "host/distance/common_box.h"
#include "host/distance/ellipsoid_pair.h"
#include "host/distance/first_look.h"
#include "host/distance/hull_pair.h"
#include "host/distance/placed_pair.h"

namespace intervox::host {
namespace {

using distance::BallVerdict;
using distance::FindCommonBall;
using distance::FirstLook;
using distance::HullVerdict;
using distance::IsConvex;
using distance::kAllTurns;
using distance::kHardlyApart;
using distance::PlaceCells;
using distance::Placed;
using distance::PosedCell;
using distance::RadiusOf;
using distance::SetApart;
using distance::TakePoint;
using distance::TakePointNear;
using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

/** Tolerance of the engine's volume, of which only the sign counts. */
constexpr double kVolumeTolerance = 1e-2;
/** Poses that go together to a thread. */
constexpr int kGrain = 64;

/** Whether one of two cells is a grid's. */
bool HaveGrid(const Cell& a, const Cell& b) {
  return a.grid.field != nullptr || b.grid.field != nullptr;
}

/** Whether both cells may be their bounds. */
bool MayBeBoxes(const Cell& a, const Cell& b) {
  return distance::MayBeItsBounds(a) && distance::MayBeItsBounds(b);
}

/** Whether a cell has a straight hole, along which a box may be long. */
bool HasHole(const Cell& cell) {
  return std::any_of(cell.surfaces.begin(), cell.surfaces.end(), [](const Surface& s) {
    return s.side < 0 && (s.kind == SurfaceKind::kCylinder || s.kind == SurfaceKind::kCone);
  });
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
  const bool grids = HaveGrid(a, b);
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

constexpr const char* kNotFinite = "a pose is not finite";

/** Says why nothing is tested. */
[[gnu::noinline]] void Refuse(const char* why, OverlapTest* test) {
  test->status = Status::kInvalid;
  test->proof = OverlapProof::kNone;
  test->reason = why;
}

/** Two balls. */
inline void TestBalls(const Surface& a, const Surface& b, const Pose& X_WA, const Pose& X_WB,
                      OverlapTest* test) {
  const FirstLook look = distance::LookAtBalls(a, b, X_WA, X_WB, &test->p_W);
  if (look == FirstLook::kApart) return SetApart(test);
  if (look == FirstLook::kNotFinite) return Refuse(kNotFinite, test);
  test->overlaps = true;
  test->proof = OverlapProof::kPoint;
  test->steps = 1;
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
  if (!grids && !MayBeBoxes(a, b)) return false;
  const distance::EdgeAxes edges = distance::LookAlongEdges(boxes, pair.thin);
  if (edges == distance::EdgeAxes::kApart) return true;
  if (grids || edges == distance::EdgeAxes::kOpen) return false;
  if (!distance::IsItsBounds(a) || !distance::IsItsBounds(b)) return false;
  test->overlaps = true;
  test->proof = OverlapProof::kPlanes;
  return true;
}

/** Takes a point where both cells may be deep by the boxes around them. */
bool TakeDeepPoint(const Placed& pair, const Vec3& deep, OverlapTest* test) {
  const Pose& X = pair.a.bounds.X;
  return TakePoint(pair, distance::IsIdentity(X.R) ? X.p + deep : X * deep, test);
}

/** A bounded cell and one of a single plane, by the point that is deepest beyond it.
 @param space  the plane's cell
 @param X      of this one in the bounded one's frame
 @param foot   the deepest point, in the bounded one's frame
 @returns whether that is above the plane */
bool IsAbove(const Cell& body, const Surface& plane, const distance::Placement& X, Vec3* foot) {
  using distance::Triple;
  const distance::Triples columns = distance::Transposed(X.rows);
  const Triple n = distance::Combined(columns, distance::ToTriple(plane.PlaneNormal())),
               origin = distance::Combined(columns, plane.o.x, plane.o.y, plane.o.z) + X.position;
  distance::Hull hull;
  distance::SetHull(body, &hull);
  const Triple deepest = distance::FarthestPoint(hull, -n);
  *foot = distance::ToVec3(deepest);
  return distance::Dot(n, deepest - origin) > distance::kHullRounding * RadiusOf(body);
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
  const bool first = pair.of_a <= pair.of_b;
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

/** Two ellipsoids of which one may be no ball. */
[[gnu::noinline]] void TestRound(const Cell& a, const Cell& b, const Pose& X_WA, const Pose& X_WB,
                                 OverlapTest* test) {
  if (!distance::AreFinite(X_WA, X_WB)) return Refuse(kNotFinite, test);
  const Placed pair = PlaceCells(a, b, X_WA, distance::Relative(X_WA, X_WB));
  if (!TestEllipsoids(pair, a.surfaces[0], b.surfaces[0], test)) Search(pair, X_WB, test);
}

/** Cells of which one is not bounded. */
[[gnu::noinline]] void TestUnbounded(const Cell& a, const Cell& b, const Pose& X_WA,
                                     const Pose& X_WB, OverlapTest* test) {
  if (!distance::AreFinite(X_WA, X_WB)) return Refuse(kNotFinite, test);
  if (HaveGrid(a, b) || (!a.bounded && !b.bounded)) return AskEngine(a, b, X_WA, X_WB, test);
  const bool first = a.bounded;
  const Cell &body = first ? a : b, &space = first ? b : a;
  const bool flat = space.surfaces.size() == 1 && space.surfaces[0].kind == SurfaceKind::kPlane;
  Vec3 foot;
  if (flat) {
    ++test->steps;
    const distance::Placement X = distance::Relative(first ? X_WA : X_WB, first ? X_WB : X_WA);
    if (IsAbove(body, space.surfaces[0], X, &foot)) return SetApart(test);
  }
  const Placed pair = PlaceCells(a, b, X_WA, distance::Relative(X_WA, X_WB));
  if (flat && TakePointNear(pair, first ? foot : pair.X_AB * foot, pair.size, kAllTurns, test)) {
    return;
  }
  if (!flat && IsFit(a, b) && TestFit(pair, X_WB, false, test)) return;
  Search(pair, X_WB, test);
}

/** Cells of which one is not convex, by a box around what they have in common, drawn in: either
 nothing is left, or a point next to its middle tells, or its halves do.
 @param look  looks elsewhere, once something is left; whether that decides
 @returns whether that decides */
template <class F>
bool TestCommonBox(const Placed& pair, const distance::Placement& X_AB, const F& look,
                   OverlapTest* test) {
  constexpr double kDeep = 300.0;  // of its least half extent: 0.3 of that is the first move
  constexpr int kMostParts = 9, kTurns = 4;
  const bool hole_a = HasHole(pair.a), hole_b = HasHole(pair.b);
  const bool along_a = hole_a == hole_b ? pair.of_a <= pair.of_b : hole_a;
  const auto of_a = distance::Place(pair.a.bounds, distance::kHere),
             of_b = distance::Place(pair.b.bounds, X_AB);
  distance::CommonBox box(along_a ? of_a : of_b);
  box.Add(pair.a.surfaces);
  box.Add(pair.b.surfaces, X_AB);
  distance::BoxPart parts[kMostParts];
  parts[0] = box.Whole();
  int count = box.Contract(along_a ? of_b : of_a, parts);
  for (int k = 0; k < count; ++k) {
    distance::BoxPart& part = parts[k];
    if (!box.Contract(&part)) continue;
    if (k == 0 && look()) return true;
    const double size = kDeep * std::min({part.half[0], part.half[1], part.half[2]});
    const Vec3 middle = distance::ToVec3(box.MiddleOf(part));
    if (TakePointNear(pair, middle, size, kTurns, test)) return true;
    if (count + 2 > kMostParts) return false;
    box.Halve(part, &parts[count]);
    count += 2;
  }
  SetApart(test);
  return true;
}

/** Bounded cells by their hulls, and by points nearby.
 @param deep   a point where both may be deep; null: it was looked at
 @param turns  of moving a point
 @returns whether that decides */
bool TestHulls(const Placed& pair, const distance::Placement& X_AB, const distance::BoxPair& boxes,
               const Vec3* deep, int turns, OverlapTest* test) {
  const distance::Triples axes = distance::Transposed(distance::RowsOf(pair.a.bounds.X.R));
  distance::HullSearch search(pair.a, pair.b, X_AB, distance::Combined(axes, boxes.way),
                              distance::kHullRounding * (pair.of_a + pair.of_b));
  const HullVerdict verdict = search.Run(&test->steps);
  if (verdict == HullVerdict::kApart) {
    SetApart(test);
    return true;
  }
  return (deep != nullptr && TakeDeepPoint(pair, *deep, test)) ||
         (verdict == HullVerdict::kMeet &&
          TakePointNear(pair, search.Point(), pair.size, turns, test));
}

/** Bounded cells that no box' axis separates: a point where both may be deep, their hulls, and what
 they have in common where one is not convex. @returns whether that decides */
bool TestBounded(const Placed& pair, const distance::Placement& X_AB,
                 const distance::BoxPair& boxes, OverlapTest* test) {
  constexpr int kFewTurns = 2;
  const distance::DeepPlace place = distance::FindDeepPlace(boxes);
  const double hardly = kHardlyApart * pair.size;
  const bool deep = distance::Dot(place.apart, place.apart) < hardly * hardly;
  if (deep && TakeDeepPoint(pair, place.point, test)) return true;
  const auto test_hulls = [&](int turns) {
    return TestHulls(pair, X_AB, boxes, deep ? nullptr : &place.point, turns, test);
  };
  if (IsConvex(pair.a) && IsConvex(pair.b)) return test_hulls(kAllTurns);
  // The hull of a cell with a hole is nearly the cell, that of a torus is not.
  const bool first = deep || HasHole(pair.a) || HasHole(pair.b);
  if (first && test_hulls(kFewTurns)) return true;
  return TestCommonBox(
      pair, X_AB, [&] { return !first && test_hulls(kFewTurns); }, test);
}

/** Bounded cells whose boxes no face's axis separates: axes of edges, a point next to a peg's end,
 hulls, then what decides in any case.
 @param turned  whether the faces' axes have not been looked along, because they are turned */
[[gnu::noinline]] void TestNear(const Cell& a, const Cell& b, const Pose& X_WA, const Pose& X_WB,
                                bool turned, OverlapTest* test) {
  constexpr double kNextToEnd = 4e-3;  // of the length that a peg and its hole have in common
  const distance::Placement X_AB = distance::Relative(X_WA, X_WB);
  const distance::BoxPair boxes = distance::PlaceBoxes(a.bounds, b.bounds, X_AB);
  const Placed pair = PlaceCells(a, b, X_WA, X_AB);
  if (turned && distance::AreApartAlongFaces(boxes, pair.thin)) return;
  const bool grids = HaveGrid(a, b);
  if (TestBoxes(pair, boxes, grids, test)) return;
  if (grids) return AskEngine(a, b, X_WA, X_WB, test);
  if (!a.polytope && !b.polytope && IsFit(a, b)) {
    bool reaches = false;
    if (TakePointBeyondWall(pair, kNextToEnd, &reaches, test)) return;
    if (TakeDeepPoint(pair, distance::FindDeepPlace(boxes).point, test)) return;
    if (TestFit(pair, X_WB, reaches, test)) return;
  } else if (TestBounded(pair, X_AB, boxes, test)) {
    return;
  }
  Search(pair, X_WB, test);
}

/** Decides a pair of cells; sets `proof` where it overlaps or something weaker than planes was
 needed. What costs least comes first: two balls, the faces' axes of the boxes around the cells. */
[[gnu::always_inline]] inline void TestCells(const Cell& a, const Cell& b, const Pose& X_WA,
                                             const Pose& X_WB, OverlapTest* test) {
  if (distance::IsEllipsoid(a) && distance::IsEllipsoid(b)) {
    const Surface &of_a = a.surfaces[0], &of_b = b.surfaces[0];
    if (geometry::IsSphere(of_a) && geometry::IsSphere(of_b)) {
      return TestBalls(of_a, of_b, X_WA, X_WB, test);
    }
    return TestRound(a, b, X_WA, X_WB, test);
  }
  if (!a.bounded || !b.bounded) return TestUnbounded(a, b, X_WA, X_WB, test);
  const FirstLook look = distance::LookAtBounds(a, b, X_WA, X_WB);
  if (look == FirstLook::kApart) return;
  if (look == FirstLook::kNotFinite) return Refuse(kNotFinite, test);
  if (look == FirstLook::kNear && !MayBeBoxes(a, b) && !HaveGrid(a, b)) {
    ++test->steps;
    if (distance::AreApartAlongTheWay(a, b, X_WA, X_WB)) return SetApart(test);
  }
  TestNear(a, b, X_WA, X_WB, look == FirstLook::kTurned, test);
}

/** Decides solids of several cells. */
[[gnu::noinline]] void TestSolids(std::span<const Cell> a, std::span<const Cell> b,
                                  const Pose& X_WA, const Pose& X_WB, OverlapTest* test) {
  if (!distance::AreFinite(X_WA, X_WB)) return Refuse(kNotFinite, test);
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
  out.status = Status::kOk;
  out.proof = OverlapProof::kBounds;
  if (a.size() == 1 && b.size() == 1) {
    TestCells(a[0], b[0], X_WA, X_WB, &out);
    return out;
  }
  if (a.empty() || b.empty()) {
    Refuse("a solid is empty", &out);
  } else {
    TestSolids(a, b, X_WA, X_WB, &out);
  }
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
