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
#include "host/distance/inner_ball.h"
#include "host/distance/relaxation.h"

namespace intervox::host {
namespace {

using distance::BallVerdict;
using distance::Constraint;
using distance::HalfSpaceCut;
using distance::PlacedCell;
using geometry::Cell;
using geometry::OrientedBox;
using geometry::Surface;
using geometry::SurfaceKind;

/** Balls of less than this share of the smaller cell's size are no overlap. */
constexpr double kThin = 1e-12;
/** Points at which a pair of convex cells, or of boxes' parts of cells, is looked at. */
constexpr int kMostSteps = 64;
/** Boxes that are looked at before the engine is asked: of tori and saddles, which cost it much,
 and of holes. */
constexpr int kMostBoxes = 150, kMostBoxesOfHoles = 6;
/** Tolerance of the engine's volume, of which only the sign counts. */
constexpr double kVolumeTolerance = 1e-2;
/** Poses that go together to a thread. */
constexpr int kGrain = 64;
/** A gradient shorter than this says nothing of where the surface is. */
constexpr double kFlat = 1e-9;

/** The level of a surface's kept side with its gradient, both in the frame of the point. */
struct Slope {
  double level;
  Vec3 gradient;
};

/** Of a cone (ρ − k z)/√(1 + k²), which is convex where the cone is kept. */
Slope ConeSlope(const Surface& s, const Vec3& x) {
  const Vec3 y = TransposeTimes(s.R, x - s.o);
  const double k = std::sqrt(-s.e.z / s.e.x), scale = 1.0 / std::sqrt(1.0 + k * k);
  const double rho = std::sqrt(y.x * y.x + y.y * y.y);
  const double along = rho > 0.0 ? scale / rho : 0.0;
  return {scale * (rho - k * y.z), s.R * Vec3{along * y.x, along * y.y, -scale * k}};
}

Slope SlopeOf(const Surface& s, const Vec3& x) {
  const double side = s.side;
  switch (s.kind) {
    case SurfaceKind::kPlane: {
      const Vec3 n = s.R.Col(2);
      return {side * Dot(n, x - s.o), side * n};
    }
    case SurfaceKind::kTorus:
      return {side * geometry::Value(s, x), side * geometry::Gradient(s, x)};
    case SurfaceKind::kCone:
      if (side > 0) return ConeSlope(s, x);
      return {-geometry::Value(s, x), -1.0 * geometry::Gradient(s, x)};
    default: {
      const Vec3 y = TransposeTimes(s.R, x - s.o);
      const Vec3 ey = Scaled(s.e, y);
      return {side * (Dot(ey + 2 * s.l, y) + s.c), (2 * side) * (s.R * (ey + s.l))};
    }
  }
}

/** The surface that a point is farthest outside of, by first order. */
struct Worst {
  double distance = -HUGE_VAL;  ///< level over slope [m]
  Vec3 n;

  void Look(const Surface& s, const Vec3& x) {
    const Slope slope = SlopeOf(s, x);
    if (s.kind == SurfaceKind::kPlane) {
      if (!(slope.level > distance)) return;
      distance = slope.level;
      n = slope.gradient;
      return;
    }
    const double steep = Norm(slope.gradient);
    if (!(steep > kFlat)) {
      // Inside, as on a cylinder's axis, no cut is needed; outside none is known.
      if (slope.level >= 0.0) distance = std::fmax(distance, 0.0);
      return;
    }
    if (!(slope.level > distance * steep)) return;
    distance = slope.level / steep;
    n = slope.gradient / steep;
  }
};

/** One cell of the pair in a frame at the smaller cell's centre. */
struct Posed {
  const Cell* cell;
  Pose X;  ///< of the cell in the frame
};

double RadiusOf(const Cell& cell) { return Norm(cell.bounds.half); }

/** Whether a point of a cell's frame lies within all of its surfaces by levels of `deep`, which
 rise by about one metre each metre. */
bool IsWithin(const Cell& cell, const Vec3& p, double deep) {
  for (const Surface& s : cell.surfaces) {
    const double level =
        s.kind == SurfaceKind::kPlane ? s.side * Dot(s.R.Col(2), p - s.o) : geometry::Level(s, p);
    if (!(level < -deep)) return false;
  }
  return true;
}

bool IsConvex(const Cell& cell) {
  return std::all_of(cell.surfaces.begin(), cell.surfaces.end(), distance::KeepsConvex);
}

/** Convex cells: cuts are tangent planes, each found in its cell's own frame. */
BallVerdict SearchConvex(const Posed (&pair)[2], double reach, double least, Vec3* point,
                         int* steps) {
  return distance::SearchInside(reach, least, kMostSteps, steps,
                                [&](const Vec3& x, HalfSpaceCut* cut) {
                                  double farthest = -HUGE_VAL;
                                  for (const Posed& posed : pair) {
                                    const Vec3 y = TransposeTimes(posed.X.R, x - posed.X.p);
                                    Worst worst;
                                    for (const Surface& s : posed.cell->surfaces) worst.Look(s, y);
                                    if (!(worst.distance > farthest)) continue;
                                    farthest = worst.distance;
                                    cut->n = posed.X.R * worst.n;
                                  }
                                  cut->d = Dot(cut->n, x) - farthest;
                                  *point = x;
                                  return farthest < -least;
                                });
}

/** The half-spaces of two cells of planes alone, as seen from the first; lanes of the four farthest
 are looked for at once. */
class PlaneList {
 public:
  /** Takes the cells' planes; false where there are more than it holds. */
  bool Take(const Cell& a, const Cell& b, const Pose& X_AB) {
    if (a.surfaces.size() + b.surfaces.size() > kMost) return false;
    for (const Surface& s : a.surfaces) Add(s.side * s.R.Col(2), s.side * Dot(s.R.Col(2), s.o));
    for (const Surface& s : b.surfaces) {
      const Vec3 n_B = s.side * s.R.Col(2), n = X_AB.R * n_B;
      Add(n, Dot(n_B, s.o) + Dot(n, X_AB.p));
    }
    while (count_ % kLanes != 0) Add({x_[0], y_[0], z_[0]}, d_[0]);
    return true;
  }

  /** The half-space that a point is farthest outside of, and by how much [m]. */
  double Farthest(const Vec3& p, HalfSpaceCut* cut) const {
    double most[kLanes], place[kLanes];
    for (int l = 0; l < kLanes; ++l) most[l] = -HUGE_VAL, place[l] = 0;
    for (int i = 0; i < count_; i += kLanes) {
      for (int l = 0; l < kLanes; ++l) {
        const double away = x_[i + l] * p.x + y_[i + l] * p.y + z_[i + l] * p.z - d_[i + l];
        place[l] = away > most[l] ? i : place[l];
        most[l] = away > most[l] ? away : most[l];
      }
    }
    int lane = 0;
    for (int l = 1; l < kLanes; ++l) lane = most[l] > most[lane] ? l : lane;
    const int k = static_cast<int>(place[lane]) + lane;
    *cut = {{x_[k], y_[k], z_[k]}, d_[k]};
    return most[lane];
  }

 private:
  static constexpr int kMost = 512, kLanes = 4;

  void Add(const Vec3& n, double d) {
    x_[count_] = n.x;
    y_[count_] = n.y;
    z_[count_] = n.z;
    d_[count_++] = d;
  }

  int count_ = 0;
  double x_[kMost], y_[kMost], z_[kMost], d_[kMost];
};

/** Cells of planes alone: the same search, in the frame of the first about the middle of the
 smaller one. */
BallVerdict SearchPlanes(const PlaneList& planes, const Vec3& middle, double reach, double least,
                         Vec3* point, int* steps) {
  return distance::SearchInside(reach, least, kMostSteps, steps,
                                [&](const Vec3& x, HalfSpaceCut* cut) {
                                  *point = middle + x;
                                  const double farthest = planes.Farthest(*point, cut);
                                  cut->d -= Dot(cut->n, middle);
                                  return farthest < -least;
                                });
}

/** The surfaces of both cells in one frame of lengths about 1, and the boxes still to be searched.
 */
class BoxSearch {
 public:
  BoxSearch(const Posed (&pair)[2], const OrientedBox& box, double length)
      : cell_{distance::Place(*pair[0].cell, pair[0].X, {}, length),
              distance::Place(*pair[1].cell, pair[1].X, {}, length)},
        length_(length) {
    boxes_.push_back({{box.X.R, box.X.p / length}, box.half / length});
    for (const PlacedCell& cell : cell_) {
      for (const Surface& s : cell.others) {
        const bool hole = s.kind == SurfaceKind::kCylinder || s.kind == SurfaceKind::kCone ||
                          s.kind == SurfaceKind::kEllipsoid;
        if (!hole) most_boxes_ = kMostBoxes;
      }
    }
  }

  /** Divides boxes until a point is found or all parts are proved empty. */
  BallVerdict Run(Vec3* point, int* steps) {
    for (std::size_t k = 0; k < boxes_.size(); ++k) {
      if (static_cast<int>(k) >= most_boxes_) return BallVerdict::kUndecided;
      const OrientedBox box = boxes_[k];
      std::vector<Constraint> cuts;
      bool empty = false;
      for (const int b : {0, 1}) {
        empty = empty || !distance::Relax(cell_[b], box, b, &cuts);
      }
      if (empty) continue;
      const BallVerdict relaxed = Search(box, cuts, false, point, steps);
      if (relaxed == BallVerdict::kNone) continue;
      if (relaxed == BallVerdict::kFound && IsInside(*point)) return Found(point);
      if (Search(box, cuts, true, point, steps) == BallVerdict::kFound && IsInside(*point)) {
        return Found(point);
      }
      if (!Divide(box)) return BallVerdict::kUndecided;
    }
    return BallVerdict::kNone;
  }

 private:
  BallVerdict Found(Vec3* point) const {
    *point = length_ * *point;
    return BallVerdict::kFound;
  }

  bool IsInside(const Vec3& x) const {
    return distance::Outside(cell_[0], x) < -kThin && distance::Outside(cell_[1], x) < -kThin;
  }

  /** Searches the convex set of the cuts within a box. Going downhill, the planes that touch the
   other surfaces' levels are taken for cuts: what is then found is a point, but nothing is proved.
   */
  BallVerdict Search(const OrientedBox& box, const std::vector<Constraint>& cuts, bool downhill,
                     Vec3* point, int* steps) const {
    const Vec3 center = box.X.p;
    return distance::SearchInside(Norm(box.half), kThin, kMostSteps, steps,
                                  [&](const Vec3& from, HalfSpaceCut* cut) {
                                    const Vec3 x = from + center;
                                    Worst worst;
                                    for (const Constraint& c : cuts) worst.Look(c.surface, x);
                                    for (const PlacedCell& cell : cell_) {
                                      if (!downhill) break;
                                      for (const Surface& s : cell.others) worst.Look(s, x);
                                    }
                                    *cut = {worst.n, Dot(worst.n, from) - worst.distance};
                                    *point = x;
                                    return worst.distance < -kThin;
                                  });
  }

  /** Halves a box across the axis along which most is given away. */
  bool Divide(const OrientedBox& box) {
    Vec3 slack = distance::Slack(cell_[0], box);
    slack += distance::Slack(cell_[1], box);
    int axis = 0;
    for (const int i : {1, 2}) axis = slack[i] > slack[axis] ? i : axis;
    if (!(slack[axis] > kThin)) return false;
    for (const double side : {-1.0, 1.0}) {
      OrientedBox part = box;
      part.half[axis] *= 0.5;
      part.X.p += (side * part.half[axis]) * part.X.R.Col(axis);
      boxes_.push_back(part);
    }
    return true;
  }

  PlacedCell cell_[2];
  double length_;
  int most_boxes_ = kMostBoxesOfHoles;
  std::vector<OrientedBox> boxes_;
};

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
  const bool rough = m.status == Status::kToleranceNotMet && !(m.volume_lo > 0);
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

bool IsFinite(const Pose& X) {
  const Vec3 sum = X.p + X.R.row0 + X.R.row1 + X.R.row2;
  return std::isfinite(sum.x + sum.y + sum.z);
}

/** Planes show that a pair of cells is apart; for the solids the weakest proof of their cells
 * counts.
 */
void SetApart(OverlapTest* test) {
  if (test->proof == OverlapProof::kBounds) test->proof = OverlapProof::kPlanes;
}

/** Takes a point of the frame for the answer where it lies inside both cells. */
bool TakePoint(const Posed (&pair)[2], const Vec3& x, double thin, const Vec3& origin,
               OverlapTest* test) {
  constexpr double kDeep = 1e3;  // levels may rise by less than one metre each metre
  ++test->steps;
  for (const Posed& posed : pair) {
    const Vec3 p = TransposeTimes(posed.X.R, x - posed.X.p);
    if (!IsWithin(*posed.cell, p, kDeep * thin)) return false;
  }
  test->overlaps = true;
  test->proof = OverlapProof::kPoint;
  test->p_W = x + origin;
  return true;
}

/** Decides a pair of cells; sets `proof` where it overlaps or something weaker than planes was
 needed. What costs least comes first: axes of the boxes around the cells, then a point or two where
 both may be deep, then what decides in any case. */
void TestCells(const CellPair& pair, const Pose& X_WA, const Pose& X_WB, OverlapTest* test) {
  const Cell &a = *pair.a, &b = *pair.b;
  if (!a.bounded && !b.bounded) return AskEngine(a, b, X_WA, X_WB, test);
  const bool first = a.bounded && (!b.bounded || RadiusOf(a) <= RadiusOf(b));
  const Cell& small = first ? a : b;
  const Vec3 origin = (first ? X_WA : X_WB) * small.bounds.X.p;
  const Posed posed[2] = {{&a, {X_WA.R, X_WA.p - origin}}, {&b, {X_WB.R, X_WB.p - origin}}};
  const double size = RadiusOf(small), thin = kThin * size;
  const bool grids = a.grid.field != nullptr || b.grid.field != nullptr;
  if (a.bounded && b.bounded) {
    Pose X_LD;
    const distance::BoxPair boxes =
        distance::PlaceBoxes(a.bounds, b.bounds, posed[0].X, posed[1].X, &X_LD);
    if (distance::AreApartAlongFaces(boxes, thin)) return;
    const Vec3 deep = X_LD * distance::DeepPoint(boxes);
    if (!grids && TakePoint(posed, deep, thin, origin, test)) return;
    const distance::EdgeAxes edges = distance::LookAlongEdges(boxes, thin);
    if (edges == distance::EdgeAxes::kApart) return;
    if (edges == distance::EdgeAxes::kOverlap && !grids && distance::IsItsBounds(a) &&
        distance::IsItsBounds(b)) {
      test->overlaps = true;
      test->proof = OverlapProof::kPlanes;
      return;
    }
  }
  if (grids) return AskEngine(a, b, X_WA, X_WB, test);
  BallVerdict verdict = BallVerdict::kUndecided;
  Vec3 point;
  const bool convex = IsConvex(a) && IsConvex(b);
  const bool fit = !convex && IsFit(a, b);
  OverlapTest asked = *test;
  if (fit) {
    for (const double share : {4e-3, 0.03, 0.2}) {
      Vec3 p_W;
      if (!PointBeyondWall({&a, &b, X_WA, X_WB}, share, &p_W)) break;
      if (TakePoint(posed, p_W - origin, thin, origin, test)) return;
    }
    if (WallClearance({&a, &b, X_WA, X_WB}) > 0) return SetApart(test);
    AskEngine(a, b, X_WA, X_WB, &asked);
    if (asked.overlaps) {
      *test = asked;
      return;
    }
    // Where edges meet, V may be below its rounding: then a point tells.
  }
  PlaneList planes;
  if (a.polytope && b.polytope && planes.Take(a, b, Inverse(posed[0].X) * posed[1].X)) {
    const Vec3 middle = TransposeTimes(posed[0].X.R, -posed[0].X.p);
    verdict = SearchPlanes(planes, middle, size, thin, &point, &test->steps);
    point = posed[0].X * point;
  } else if (convex) {
    verdict = SearchConvex(posed, size, thin, &point, &test->steps);
  } else {
    const Pose X = (first ? posed[0] : posed[1]).X * small.bounds.X;
    verdict = BoxSearch(posed, {X, small.bounds.half}, size).Run(&point, &test->steps);
  }
  switch (verdict) {
    case BallVerdict::kNone:
      return SetApart(test);
    case BallVerdict::kFound:
      test->overlaps = true;
      test->proof = OverlapProof::kPoint;
      test->p_W = point + origin;
      return;
    default:
      if (!fit) AskEngine(a, b, X_WA, X_WB, &asked);
      *test = asked;
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
  if (!IsFinite(X_WA) || !IsFinite(X_WB)) {
    out.reason = "a pose is not finite";
    return out;
  }
  out.status = Status::kOk;
  out.proof = OverlapProof::kBounds;
  if (a.size() == 1 && b.size() == 1) {
    TestCells({&a[0], &b[0], 0.0}, X_WA, X_WB, &out);
    return out;
  }
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
    TestCells(pair, X_WA, X_WB, &out);
    if (!out.overlaps) continue;
    out.status = Status::kOk;  // whatever another pair left open
    out.reason.clear();
    break;
  }
  return out;
}

void TestOverlaps(std::span<const Cell> a, std::span<const Cell> b, std::span<const Pose> X_WA,
                  std::span<const Pose> X_WB, int threads, std::span<OverlapTest> tests) {
  cuda::ParallelFor(static_cast<int>(tests.size()), kGrain, threads, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const auto i = static_cast<std::size_t>(k);
      tests[i] = TestOverlap(a, b, X_WA[i], X_WB[i]);
    }
  });
}

bool Overlaps(std::span<const Cell> a, std::span<const Cell> b, const Pose& X_WA,
              const Pose& X_WB) {
  const OverlapTest test = TestOverlap(a, b, X_WA, X_WB);
  if (test.status != Status::kOk) throw std::runtime_error("Overlaps: " + test.reason);
  return test.overlaps;
}

}  // namespace intervox::host
