#include "host/distance/relaxation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"
#include "host/distance/common_box.h"

namespace intervox::host::distance {
namespace {

using geometry::OrientedBox;
using geometry::Surface;
using geometry::SurfaceKind;

/** The surface with lengths divided by `length`. */
Surface Scaled(Surface s, double length) {
  s.o = s.o / length;
  if (s.kind == SurfaceKind::kTorus) {
    s.e = s.e / length;
    return s;
  }
  s.e = length * s.e;
  s.c /= length;
  return s;
}

/** Whether the level of a quadric's side has a square that bends up. */
bool BendsUp(const Surface& s) {
  if (s.kind == SurfaceKind::kTorus) return false;
  const Vec3 e = static_cast<double>(s.side) * s.e;
  return e.x > 0.0 || e.y > 0.0 || e.z > 0.0;
}

/** Whether a box lies outside of a torus' circle, where the torus is its hull. */
bool IsOutOfCircle(const Surface& s, const OrientedBox& box) {
  const Vec3 y = TransposeTimes(s.R, box.X.p - s.o);
  return std::hypot(y.x, y.y) - Norm(box.half) >= s.e.x;
}

/** Of a cone only the nappe bounds: whether both may be in a box, where its level is no quadric. */
bool ReachesOtherNappe(const Surface& s, const OrientedBox& box) {
  if (s.kind != SurfaceKind::kCone) return false;
  const Vec3 axis = s.R.Col(2);
  return Dot(axis, box.X.p - s.o) < Dot(Abs(TransposeTimes(box.X.R, axis)), box.half);
}

/** What a quadric's level may lie below its tangent at the box' centre by. */
double BendsDownBy(const Surface& s, const OrientedBox& box) {
  const Mat3 turn = Transpose(s.R) * box.X.R;
  double below = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double half = Dot(Abs(turn.Row(i)), box.half);
    below += std::fmax(0.0, -s.side * s.e[i]) * half * half;
  }
  return below;
}

/** A quadric whose level lies below the side's within a box: of the squares that bend down the
 linear forms about the box' centre are taken, less `room`; the others stay. */
Constraint ConvexPart(const Surface& s, const OrientedBox& box, double room, int body) {
  const double side = s.side;
  const Vec3 y = TransposeTimes(s.R, box.X.p - s.o);
  Surface part = s;
  part.kind = SurfaceKind::kQuadric;
  part.side = 1;
  part.l = side * s.l;
  part.c = side * s.c - room;
  for (int i = 0; i < 3; ++i) {
    const double e = side * s.e[i];
    part.e[i] = std::fmax(0.0, e);
    if (e >= 0.0) continue;
    part.l[i] += e * y[i];
    part.c -= e * y[i] * y[i];
  }
  return {body, part};
}

/** The half-space that a linear form keeps: level + gradient · (x − at) ≤ 0. */
std::optional<Constraint> Plane(double level, const Vec3& gradient, const Vec3& at, int body) {
  const double slope = Norm(gradient);
  if (!(slope > 1e-9)) return {};
  const Vec3 n = gradient / slope;
  return Constraint{body, geometry::MakePlane(n, at - (level / slope) * n)};
}

}  // namespace

PlacedCell Place(const geometry::Cell& cell, const Pose& X_WC, const Vec3& origin, double length) {
  Pose X = X_WC;
  X.p -= origin;
  PlacedCell out;
  for (const Surface& surface : cell.surfaces) {
    const Surface s = Scaled(X * surface, length);
    (KeepsConvex(s) ? out.convex : out.others).push_back(s);
  }
  out.bounded = cell.bounded;
  if (cell.bounded) {
    out.box = {X * cell.bounds.X, cell.bounds.half / length};
    out.box.X.p = out.box.X.p / length;
  }
  return out;
}

bool Relax(const PlacedCell& cell, const OrientedBox& box, int body,
           std::vector<Constraint>* constraints) {
  using geometry::Restriction;
  for (const Surface& s : cell.convex) {
    const Restriction in = geometry::Restrict(s, box.X.p, box.X.R, box.half);
    if (in == Restriction::kOutside) return false;
    // A surface that the box does not reach may bound nothing: but the box does then.
    if (in == Restriction::kActive) constraints->push_back({body, s});
  }
  for (const Surface& s : cell.others) {
    const Restriction in = geometry::Restrict(s, box.X.p, box.X.R, box.half);
    if (in == Restriction::kOutside) return false;
    if (in == Restriction::kInside) continue;
    if (s.kind == SurfaceKind::kTorus && s.side > 0) {
      constraints->push_back({body, s, true});
      if (IsOutOfCircle(s, box)) continue;
    }
    if (BendsUp(s) && !ReachesOtherNappe(s, box)) {
      constraints->push_back(ConvexPart(s, box, BendsDownBy(s, box), body));
      continue;
    }
    const PlacedBox placed = Place(box, kHere);
    const LowerForm form =
        FormBelow(Place(s, placed, Transposed(placed.axes)), Triple{}, placed.half);
    const Triple gradient = Combined(placed.axes, form.gradient);
    const auto plane = Plane(form.level, ToVec3(gradient), box.X.p, body);
    if (plane) constraints->push_back(*plane);
  }
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {1.0, -1.0}) {
      const Vec3 n = side * box.X.R.Col(axis);
      constraints->push_back({body, geometry::MakePlane(n, box.X.p + box.half[axis] * n)});
    }
  }
  return true;
}

bool Contract(std::span<const PlacedCell> cells, OrientedBox* box) {
  CommonBox common(Place(*box, kHere));
  for (const PlacedCell& cell : cells) {
    common.Add(cell.convex);
    common.Add(cell.others);
  }
  BoxPart part = common.Whole();
  const bool left = common.Contract(&part);
  box->X.p = ToVec3(common.MiddleOf(part));
  box->half = ToVec3(part.half);
  return left;
}

Vec3 Slack(const PlacedCell& cell, const OrientedBox& box, const Vec3* at) {
  Vec3 slack;
  for (const Surface& s : cell.others) {
    if (at != nullptr && !(geometry::Level(s, *at) > 0.0)) continue;
    if (s.kind == SurfaceKind::kTorus && s.side > 0 && IsOutOfCircle(s, box)) continue;
    const bool active =
        geometry::Restrict(s, box.X.p, box.X.R, box.half) == geometry::Restriction::kActive;
    if (!active) continue;
    const Mat3 turn = Transpose(s.R) * box.X.R;
    const bool all = ReachesOtherNappe(s, box);
    for (int j = 0; j < 3; ++j) {
      const Vec3 axis = turn.Col(j);  // of the box, in the surface's frame
      double bend = 0.0;
      if (s.kind == SurfaceKind::kTorus) {
        bend = 1.0 / s.e.y;
      } else {
        for (int i = 0; i < 3; ++i) {
          const double e = -s.side * s.e[i];
          bend += std::fmax(all ? -e : 0.0, e) * axis[i] * axis[i];
        }
      }
      slack[j] += bend * box.half[j] * box.half[j];
    }
  }
  return slack;
}

void LinearizeAt(const PlacedCell& cell, const Vec3& x, int body,
                 std::vector<Constraint>* constraints) {
  for (const Surface& s : cell.convex) constraints->push_back({body, s});
  for (const Surface& s : cell.others) {
    if (s.kind == SurfaceKind::kTorus && s.side > 0) {
      constraints->push_back({body, s});
    } else {
      const double side = s.side;
      const auto plane =
          Plane(side * geometry::Value(s, x), side * geometry::Gradient(s, x), x, body);
      if (plane) constraints->push_back(*plane);
    }
  }
}

double Outside(const PlacedCell& cell, const Vec3& x) {
  double most = -HUGE_VAL;
  for (const Surface& s : cell.convex) most = std::fmax(most, ConstraintValue({0, s}, x));
  for (const Surface& s : cell.others) most = std::fmax(most, geometry::Level(s, x));
  return most;
}

}  // namespace intervox::host::distance
