#include "host/distance/common_ball.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry/surface_eval.h"
#include "host/distance/common_box.h"
#include "host/distance/relaxation.h"

namespace intervox::host::distance {
namespace {

using geometry::Cell;
using geometry::OrientedBox;
using geometry::Surface;
using geometry::SurfaceKind;

/** Points at which a pair of convex cells, or of boxes' parts of cells, is looked at. */
constexpr int kMostSteps = 64;
/** Boxes that are looked at before the search gives up: of tori and saddles, whose volumes cost
 much, and of holes. */
constexpr int kMostBoxes = 150, kMostBoxesOfHoles = 30;
/** Boxes that are divided before any is searched: drawn in, most show that the cells are apart, or
 have a point of both in their middle. */
constexpr std::size_t kFirstBoxes = 7;
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

  void Look(const Constraint& c, const Vec3& x) {
    const auto flat = FlatOfHull(c, x);
    if (!flat) return Look(c.surface, x);
    if (!(flat->level > distance)) return;
    distance = flat->level;
    n = flat->n;
  }

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

/** Convex cells: cuts are tangent planes, each found in its cell's own frame. */
BallVerdict SearchConvex(const PosedCell (&pair)[2], double reach, double least, Vec3* point,
                         int* steps) {
  return SearchInside(reach, least, kMostSteps, steps, [&](const Vec3& x, HalfSpaceCut* cut) {
    double farthest = -HUGE_VAL;
    for (const PosedCell& posed : pair) {
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
  return SearchInside(reach, least, kMostSteps, steps, [&](const Vec3& x, HalfSpaceCut* cut) {
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
  BoxSearch(const PosedCell (&pair)[2], const OrientedBox& box, double length)
      : cell_{Place(*pair[0].cell, pair[0].X, {}, length),
              Place(*pair[1].cell, pair[1].X, {}, length)},
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
      ++*steps;
      if (static_cast<int>(k) >= most_boxes_) return BallVerdict::kUndecided;
      OrientedBox box = boxes_[k];
      if (!Contract(cell_, &box)) continue;
      if (IsInside(box.X.p)) {
        *point = box.X.p;
        return Found(point);
      }
      if (k < kFirstBoxes && Divide(box)) continue;
      std::vector<Constraint> cuts;
      bool empty = false;
      for (const int b : {0, 1}) {
        empty = empty || !Relax(cell_[b], box, b, &cuts);
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
    return Outside(cell_[0], x) < -kThin && Outside(cell_[1], x) < -kThin;
  }

  /** Searches the convex set of the cuts within a box. Going downhill, the planes that touch the
   other surfaces' levels are taken for cuts: what is then found is a point, but nothing is proved.
   */
  BallVerdict Search(const OrientedBox& box, const std::vector<Constraint>& cuts, bool downhill,
                     Vec3* point, int* steps) const {
    const Vec3 center = box.X.p;
    return SearchInside(Norm(box.half), kThin, kMostSteps, steps,
                        [&](const Vec3& from, HalfSpaceCut* cut) {
                          const Vec3 x = from + center;
                          Worst worst;
                          for (const Constraint& c : cuts) worst.Look(c, x);
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
    Vec3 slack = Slack(cell_[0], box);
    slack += Slack(cell_[1], box);
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

}  // namespace

BallVerdict FindCommonBall(const PosedCell (&pair)[2], const Pose& X_AB, int smaller, double least,
                           Vec3* point, int* steps) {
  const Cell &a = *pair[0].cell, &b = *pair[1].cell;
  const PosedCell& small = pair[smaller];
  const geometry::OrientedBox& bounds = small.cell->bounds;
  const double size = Norm(bounds.half);
  PlaneList planes;
  if (a.polytope && b.polytope && planes.Take(a, b, X_AB)) {
    const Vec3 middle = TransposeTimes(pair[0].X.R, -pair[0].X.p);
    const BallVerdict verdict = SearchPlanes(planes, middle, size, least, point, steps);
    *point = pair[0].X * *point;
    return verdict;
  }
  if (IsConvex(a) && IsConvex(b)) return SearchConvex(pair, size, least, point, steps);
  return BoxSearch(pair, {small.X * bounds.X, bounds.half}, size).Run(point, steps);
}

}  // namespace intervox::host::distance
