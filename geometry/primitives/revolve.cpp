#include "geometry/primitives/revolve.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "geometry/enclose.h"
#include "geometry/make_surface.h"
#include "geometry/primitives/outline.h"

namespace intervox::geometry {
namespace {

/** Lengths below this share of the outline's size are zero. */
constexpr double kZero = 1e-12;

/** What lies to the left of a line, turned about the axis; nothing for a line on the axis. */
std::optional<Surface> TurnedLine(const OutlineLine& line, double size) {
  const double dr = line.b.x - line.a.x, dz = line.b.y - line.a.y, length = std::hypot(dr, dz);
  const double r = 0.5 * (line.a.x + line.b.x), z = 0.5 * (line.a.y + line.b.y);
  if (std::abs(dz) <= kZero * length) return MakePlane({0, 0, dr > 0 ? -1.0 : 1.0}, {0, 0, z});
  const bool inside = dz > 0;  // the axis lies to the left of a line that goes up
  if (std::abs(dr) <= kZero * length) {
    if (r <= kZero * size) return std::nullopt;
    const Surface S = MakeCylinder(r);
    return inside ? S : Complement(S);
  }
  // r = slope (z − apex) to the side where r is positive.
  const double slope = dr / dz, apex = z - r / slope;
  const Mat3 up = Mat3::Identity();
  const Mat3 down = Mat3::FromColumns({0, 1, 0}, {1, 0, 0}, {0, 0, -1});
  const Surface S =
      MakeCone(std::abs(slope), std::abs(z - apex), {slope > 0 ? up : down, {0, 0, apex}});
  return inside ? S : Complement(S);
}

Surface TurnedCircle(const OutlineCircle& circle, double size, const std::string& place) {
  Surface S;
  const double major = circle.center.x, minor = circle.radius;
  const Pose X{Mat3::Identity(), {0, 0, circle.center.y}};
  if (std::abs(major) <= kZero * size) {
    S = MakeEllipsoid({minor, minor, minor}, X);
  } else if (major > minor) {
    S = MakeTorus(major, minor, X);
  } else {
    throw std::invalid_argument(
        place + ": the circle of an arc, about (" + std::to_string(major) + ", " +
        std::to_string(circle.center.y) + ") with radius " + std::to_string(minor) +
        ", reaches the axis without being centred on it: that is neither a ball nor a torus. "
        "Centre it on the axis or give it a smaller radius.");
  }
  return circle.side > 0 ? S : Complement(S);
}

/** Adds the planes of the part's ends, and its outer cylinder, where its other surfaces leave it
 unbounded: of hollow cones only the outside bounds a part, which no hull shows. */
void Bound(const OutlinePart& part, SurfaceList* piece) {
  double r = 0, low = HUGE_VAL, high = -HUGE_VAL;
  for (const OutlineLine& line : part.lines) {
    r = std::max(r, line.a.x);
    low = std::min(low, line.a.y);
    high = std::max(high, line.a.y);
  }
  const Surface bounds[] = {MakePlane({0, 0, -1}, {0, 0, low}), MakePlane({0, 0, 1}, {0, 0, high}),
                            MakeCylinder(r)};
  for (const Surface& S : bounds) {
    if (Enclose(*piece).polytope.bounded) return;
    piece->push_back(S);
  }
}

}  // namespace

Pieces ToPieces(const Revolve& primitive, const std::string& place) {
  double size = 0;
  for (const OutlinePoint& p : primitive.outline) size = std::max({size, std::abs(p.x)});
  for (std::size_t i = 0; i < primitive.outline.size(); ++i) {
    if (primitive.outline[i].x >= 0) continue;
    Refuse(place, "outline[" + std::to_string(i) + "][0]", primitive.outline[i].x,
           "It is the distance from the axis; give 0 or more.");
  }
  Pieces pieces;
  for (const OutlinePart& part : OutlineParts(primitive.outline, place)) {
    SurfaceList piece;
    for (const OutlineLine& line : part.lines) {
      if (const std::optional<Surface> S = TurnedLine(line, size)) piece.push_back(*S);
    }
    for (const OutlineCircle& circle : part.circles) {
      piece.push_back(TurnedCircle(circle, size, place));
    }
    Bound(part, &piece);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace intervox::geometry
