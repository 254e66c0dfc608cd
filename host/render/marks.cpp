#include "host/render/marks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "geometry/make_surface.h"

namespace intervox::host {
namespace internal {
namespace {

/** A cell with bounds that are known without a search. */
geometry::Cell BoundedCell(std::vector<geometry::Surface> surfaces, const Pose& X,
                           const Vec3& half) {
  geometry::Cell cell;
  cell.surfaces = std::move(surfaces);
  cell.bounds = {X, half};
  return cell;
}

}  // namespace

std::vector<geometry::Cell> ArrowCells(const ForceArrow& arrow) {
  const double length = Norm(arrow.vector);
  const double r = arrow.radius;
  if (!(length > 0.5 * r)) return {};
  const Vec3 d = arrow.vector / length;
  const Mat3 R = geometry::FrameAlong(d);
  const Vec3 tail = arrow.p_WP;
  const Vec3 tip = tail + arrow.vector;
  const double head = std::min(7 * r, 0.6 * length);  // short arrows are nearly all head
  const Vec3 neck = tip - head * d;
  const double head_radius = 0.4 * head;
  std::vector<geometry::Cell> cells;
  // A cone opens along its axis: apex at the tip, axis backwards.
  const Mat3 R_back = geometry::FrameAlong(-d);
  cells.push_back(BoundedCell(
      {geometry::MakeCone(head_radius / head, head, {R_back, tip}), geometry::MakePlane(-d, neck)},
      {R, 0.5 * (tip + neck)}, {head_radius, head_radius, 0.5 * head}));
  const double shaft = std::min(r, 0.4 * head_radius);
  for (geometry::Cell& cell : RodCells(tail, neck, shaft)) cells.push_back(std::move(cell));
  return cells;
}

std::vector<geometry::Cell> PatchCells(const PatchMark& patch) {
  const double a = Norm(patch.axis);
  const double b = patch.second;
  const double half = 0.5 * patch.thickness;
  if (!(a > 0) || !(b > 0) || !(half > 0)) return {};
  const Vec3 u = patch.axis / a;
  const Pose X{Mat3::FromColumns(u, Cross(patch.n, u), patch.n), patch.p_WC};
  geometry::Surface rim;
  rim.kind = geometry::SurfaceKind::kQuadric;
  rim.R = X.R;
  rim.o = X.p;
  const double s = 0.5 * std::min(a, b);  // makes |∇f| about 1 near the rim
  rim.e = {s / (a * a), s / (b * b), 0};
  rim.c = -s;
  std::vector<geometry::Surface> surfaces{
      rim, geometry::MakePlane(patch.n, patch.p_WC + half * patch.n),
      geometry::MakePlane(-patch.n, patch.p_WC - half * patch.n)};
  if (patch.hole > 0) {
    geometry::Surface hole = rim;
    hole.e = -rim.e / patch.hole;
    hole.c = s * patch.hole;
    surfaces.push_back(hole);
  }
  return {BoundedCell(std::move(surfaces), X, {a, b, half})};
}

std::vector<geometry::Cell> RodCells(const Vec3& from, const Vec3& to, double radius) {
  const double length = Norm(to - from);
  if (!(length > 0)) return {};
  const Vec3 d = (to - from) / length;
  const Mat3 R = geometry::FrameAlong(d);
  return {BoundedCell({geometry::MakeCylinder(radius, {R, from}), geometry::MakePlane(d, to),
                       geometry::MakePlane(-d, from)},
                      {R, 0.5 * (from + to)}, {radius, radius, 0.5 * length})};
}

std::vector<geometry::Cell> BallCells(const Vec3& center, double radius) {
  const Pose X{Mat3::Identity(), center};
  const Vec3 half{radius, radius, radius};
  return {BoundedCell({geometry::MakeEllipsoid(half, X)}, X, half)};
}

}  // namespace internal

PatchMark MarkOfPatch(const Vec3& p_WC, const Vec3& n, double V, const Mat3& J_W, double smallest,
                      double area) {
  // E = ½ tr(J) I − J is the second moment (theory, section 2); an ellipse of semi-axis a has the
  // variance a²/4 along it.
  const Vec3 t1 = AnyOrthogonal(n);
  const Vec3 t2 = Cross(n, t1);
  const double half_trace = 0.5 * Trace(J_W);
  const double e11 = (half_trace - Dot(t1, J_W * t1)) / V;
  const double e22 = (half_trace - Dot(t2, J_W * t2)) / V;
  const double e12 = -Dot(t1, J_W * t2) / V;
  const double mean = 0.5 * (e11 + e22);
  const double apart = std::hypot(0.5 * (e11 - e22), e12);
  const double angle = 0.5 * std::atan2(2 * e12, e11 - e22);
  const auto semi_axis = [smallest](double variance) {
    return std::max(smallest, 2 * std::sqrt(std::max(0.0, variance)));
  };
  PatchMark mark;
  mark.p_WC = p_WC;
  mark.n = n;
  mark.axis = semi_axis(mean + apart) * (std::cos(angle) * t1 + std::sin(angle) * t2);
  mark.second = semi_axis(mean - apart);
  mark.thickness = 0.25 * smallest;
  // A ring's area is π a b (1 − q²) and its variances are a² (1 + q²)/4, so that their ratio r to
  // those of the ellipse above gives q² = (1 − r)/(1 + r). A triangle's r is 0.83, a square's 0.95.
  constexpr double kRing = 0.75;
  const double a = Norm(mark.axis);
  const double r = area / (std::numbers::pi * a * mark.second);
  if (mark.second > smallest && r < kRing) {
    const double square = (1 - r) / (1 + r);
    mark.hole = std::sqrt(square);
    mark.axis = mark.axis / std::sqrt(1 + square);
    mark.second /= std::sqrt(1 + square);
  }
  return mark;
}

}  // namespace intervox::host
