#include "host/contact/finder/cell_boxes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/grow.h"
#include "geometry/surface_eval.h"

namespace intervox::host {
namespace {

/** Rounding allowance of the box tests, relative to the boxes. */
constexpr double kRounding = 1e-10;

/** Largest n·x over a box. */
double Reach(const CellBox& box, const Vec3& n) {
  const Vec3 along = Abs(TransposeTimes(box.R, n));
  return Dot(along, box.half);
}

/** How far `box` is on the outer side of a plane of `cell`, where X takes the box's frame to the
 cell's. */
double PlaneGap(const CellBox& cell, const CellBox& box, const Pose& X) {
  const Vec3 center = X * box.center;
  double gap = 0.0;
  for (std::size_t k = 0; k < cell.plane_normals.size(); ++k) {
    const Vec3& n = cell.plane_normals[k];
    const double reach = Reach(box, TransposeTimes(X.R, n)) + kRounding * box.radius;
    gap = std::fmax(gap, Dot(n, center) - reach - cell.plane_offsets[k]);
  }
  return gap;
}

double Largest(const Vec3& v) { return std::fmax(std::fmax(v.x, v.y), v.z); }

/** A lower bound of the distance of two boxes by separating axes, in the first one's axes: the best
 of the faces' axes, else the first positive of the edges', which are at most of unit length.
 @param R  takes b's axes to a's.
 @param t  from a's centre to b's. */
double AxesGap(const Vec3& half_a, const Vec3& half_b, const Mat3& R, const Vec3& t,
               double enough) {
  const Mat3 Q{Abs(R.row0), Abs(R.row1), Abs(R.row2)};
  double gap = Largest(Abs(t) - half_a - Q * half_b);
  if (gap > enough) return gap;
  gap = std::fmax(gap, Largest(Abs(TransposeTimes(R, t)) - half_b - TransposeTimes(Q, half_a)));
  if (gap > 0) return gap;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const Vec3& q = Q.Row(i);
    const Vec3 reach_b{half_b.y * q.z + half_b.z * q.y, half_b.x * q.z + half_b.z * q.x,
                       half_b.x * q.y + half_b.y * q.x};
    const Vec3 reach = half_a[i1] * Q.Row(i2) + half_a[i2] * Q.Row(i1) + reach_b;
    gap = std::fmax(gap, Largest(Abs(t[i2] * R.Row(i1) - t[i1] * R.Row(i2)) - reach));
    if (gap > 0) return gap;
  }
  return gap;
}

double FrobeniusDistance(const Mat3& A, const Mat3& B) {
  const Mat3 D = A - B;
  return std::sqrt(SquaredNorm(D.row0) + SquaredNorm(D.row1) + SquaredNorm(D.row2));
}

/** A ball around a bounded cell: its sphere's, if it lies in one, else its box's. */
struct Ball {
  Vec3 center;          // [m]
  double radius = 0.0;  // [m]
};

Ball BallAround(const geometry::Cell& cell, const CellBox& box) {
  Ball ball{box.center, box.radius};
  for (const geometry::Surface& s : cell.surfaces) {
    if (s.side < 0 || !geometry::IsSphere(s)) continue;
    const double radius = (1 + kRounding) * std::sqrt(-s.c / s.e.x);
    if (radius < ball.radius) ball = {s.o, radius};
  }
  return ball;
}

}  // namespace

GrownCells::~GrownCells() {
  for (const std::atomic<const Steps*>& steps : steps_) delete steps.load();
}

const GrownCells::Steps& GrownCells::Of(const geometry::Cell& cell, const CellBox& box,
                                        std::size_t index) const {
  const Steps* made = steps_[index].load(std::memory_order_acquire);
  if (made != nullptr) return *made;
  auto steps = std::make_unique<Steps>();
  for (std::size_t k = 0; k < kGrowth.size() && box.bounded; ++k) {
    (*steps)[k].distance = kGrowth[k] * box.radius;
    (*steps)[k].cell = geometry::Grow(cell, (*steps)[k].distance);
  }
  // Another thread may have been faster.
  if (steps_[index].compare_exchange_strong(made, steps.get(), std::memory_order_acq_rel)) {
    return *steps.release();
  }
  return *made;
}

BodyCells MakeBodyCells(std::span<const geometry::Cell> cells) {
  BodyCells out;
  out.cells = cells;
  out.grown = std::make_shared<GrownCells>(cells.size());
  constexpr double kEverywhere = 1e300;
  const Vec3 far{kEverywhere, kEverywhere, kEverywhere};
  Vec3 lower = far, upper = -far;
  out.box = {far, -far};
  std::vector<geometry::Aabb> aligned;
  std::vector<Ball> balls;
  for (const geometry::Cell& cell : cells) {
    CellBox box;
    geometry::Aabb around{-far, far};
    const Vec3& half = cell.bounds.half;
    box.bounded = cell.bounded && std::isfinite(half.x + half.y + half.z);
    if (box.bounded) {
      box.center = cell.bounds.X.p;
      box.R = cell.bounds.X.R;
      box.radius = Norm(half);
      const double slack = kRounding * box.radius;
      box.half = half + Vec3{slack, slack, slack};
      const Vec3 reach{Dot(Abs(box.R.row0), box.half), Dot(Abs(box.R.row1), box.half),
                       Dot(Abs(box.R.row2), box.half)};
      around = {box.center - reach, box.center + reach};
      out.box = {Min(out.box.lower, around.lower), Max(out.box.upper, around.upper)};
      balls.push_back(BallAround(cell, box));
      const Vec3 r{balls.back().radius, balls.back().radius, balls.back().radius};
      lower = Min(lower, balls.back().center - r);
      upper = Max(upper, balls.back().center + r);
    } else {
      out.bounded = false;
      for (const geometry::Surface& surface : cell.surfaces) {
        if (surface.kind != geometry::SurfaceKind::kPlane) continue;
        const Vec3 n = static_cast<double>(surface.side) * surface.PlaneNormal();
        box.plane_normals.push_back(n);
        box.plane_offsets.push_back(Dot(n, surface.o));
      }
    }
    out.boxes.push_back(std::move(box));
    aligned.push_back(around);
  }
  out.tree = geometry::BoxTree(aligned);
  if (out.bounded && !cells.empty()) {
    out.center = 0.5 * (lower + upper);
    for (const Ball& ball : balls) {
      out.radius = std::fmax(out.radius, Norm(ball.center - out.center) + ball.radius);
    }
  }
  return out;
}

double BoxGap(const CellBox& a, const CellBox& b, const Pose& X_IJ, double enough) {
  if (!a.bounded && !b.bounded) return 0.0;
  if (!a.bounded) return PlaneGap(a, b, X_IJ);
  if (!b.bounded) return PlaneGap(b, a, Inverse(X_IJ));
  const Vec3 d = X_IJ * b.center - a.center;
  const double reach = a.radius + b.radius + enough;
  if (SquaredNorm(d) > reach * reach * (1 + kRounding)) return Norm(d) - a.radius - b.radius;
  const Mat3 R = Transpose(a.R) * (X_IJ.R * b.R);
  return AxesGap(a.half, b.half, R, TransposeTimes(a.R, d), enough);
}

double BodiesGap(const BodyCells& I, const BodyCells& J, const Pose& X_IJ, double enough) {
  if (I.boxes.size() > J.boxes.size()) return BodiesGap(J, I, Inverse(X_IJ), enough);
  if (I.bounded && J.bounded) {
    const double gap = Norm(X_IJ * J.center - I.center) - I.radius - J.radius;
    if (gap >= enough) return gap;
  }
  const Pose X_JI = Inverse(X_IJ);
  double least = enough;
  for (const CellBox& box : I.boxes) {
    const double reach = box.bounded ? box.radius + least : std::numeric_limits<double>::max();
    J.tree.AnyWithin(X_JI * box.center, reach, [&](int b) {
      least = std::fmin(least, BoxGap(box, J.boxes[static_cast<std::size_t>(b)], X_IJ, least));
      return !(least > 0.0);
    });
    if (!(least > 0.0)) break;
  }
  return least;
}

geometry::Aabb WorldBox(const BodyCells& body, const Pose& X_WB) {
  const Vec3 middle = X_WB * (0.5 * (body.box.lower + body.box.upper));
  const Vec3 half = 0.5 * (body.box.upper - body.box.lower);
  const Vec3 reach{Dot(Abs(X_WB.R.row0), half), Dot(Abs(X_WB.R.row1), half),
                   Dot(Abs(X_WB.R.row2), half)};
  const Vec3 center = X_WB * body.center;
  const Vec3 r{body.radius, body.radius, body.radius};
  const Vec3 slack = kRounding * (Abs(center) + r);
  return {Max(middle - reach, center - r) - slack, Min(middle + reach, center + r) + slack};
}

double UnboundedGap(const BodyCells& unbounded, const Pose& X_WU, const geometry::Aabb& box_W,
                    const Vec3& center_W, double radius) {
  const Vec3 middle = 0.5 * (box_W.lower + box_W.upper), half = 0.5 * (box_W.upper - box_W.lower);
  double least = std::numeric_limits<double>::infinity();
  for (const CellBox& cell : unbounded.boxes) {
    double gap = 0.0;
    if (cell.bounded) {
      gap = Norm(X_WU * cell.center - center_W) - cell.radius - radius;
    } else {
      for (std::size_t k = 0; k < cell.plane_normals.size(); ++k) {
        const Vec3 n = X_WU.R * cell.plane_normals[k];
        const double level = Dot(n, X_WU.p) + cell.plane_offsets[k];
        const double by_ball = Dot(n, center_W) - radius - level;
        const double by_box = Dot(n, middle) - Dot(Abs(n), half) - level;
        const double slack = kRounding * (std::fabs(level) + Norm(center_W) + radius);
        gap = std::fmax(gap, std::fmax(by_ball, by_box) - slack);
      }
    }
    least = std::fmin(least, gap);
  }
  return least;
}

double Displacement(const Pose& now, const Pose& then, const BodyCells& ball) {
  return Norm(now * ball.center - then * ball.center) +
         FrobeniusDistance(now.R, then.R) * ball.radius;
}

}  // namespace intervox::host
