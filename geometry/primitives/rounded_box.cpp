#include "geometry/primitives/rounded_box.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/make_surface.h"
#include "geometry/primitives/box.h"

namespace intervox::geometry {
namespace {

/** Edges of a radius below this share of the box are sharp: their pieces' extents are rounding. */
constexpr double kSharp = 1e-11;

Vec3 Axis(int k, double sign) {
  Vec3 n;
  n[k] = sign;
  return n;
}

/** The plane n·x ≤ offset that parts two pieces. */
Surface CutPlane(const Vec3& n, double offset) {
  Surface plane = MakePlane(n, offset);
  plane.cut = true;
  return plane;
}

/** The middle: as wide as the inner box in y and z, from face to face in x. */
SurfaceList Middle(const Vec3& inner, const Vec3& outer) {
  SurfaceList piece;
  for (const double sign : {1.0, -1.0}) {
    piece.push_back(MakePlane(Axis(0, sign), outer.x));
    piece.push_back(CutPlane(Axis(1, sign), inner.y));
    piece.push_back(CutPlane(Axis(2, sign), inner.z));
  }
  return piece;
}

/** The piece on one side of the inner box in each axis, −1, 0 or +1: of a face where one differs
 from 0, of an edge where two do, of a corner where three do. */
SurfaceList Piece(const std::array<int, 3>& side, const Vec3& inner, const Vec3& outer, double r) {
  SurfaceList piece;
  Vec3 corner;
  int rounds = 0, along = 0, across = 0;
  for (int k = 0; k < 3; ++k) {
    if (side[k] != 0) {
      corner[k] = side[k] * inner[k];
      piece.push_back(CutPlane(Axis(k, -side[k]), -inner[k]));
      across = k;
      ++rounds;
    } else {
      piece.push_back(CutPlane(Axis(k, 1), inner[k]));
      piece.push_back(CutPlane(Axis(k, -1), inner[k]));
      along = k;
    }
  }
  if (rounds == 1) piece.push_back(MakePlane(Axis(across, side[across]), outer[across]));
  if (rounds == 2) piece.push_back(MakeCylinder(r, {FrameAlong(Axis(along, 1)), corner}));
  if (rounds == 3) piece.push_back(MakeEllipsoid({r, r, r}, {Mat3::Identity(), corner}));
  return piece;
}

}  // namespace

Pieces ToPieces(const RoundedBox& primitive, const std::string& place) {
  for (int k = 0; k < 3; ++k) {
    RequirePositive(place, "size[" + std::to_string(k) + "]", primitive.size[k]);
  }
  RequirePositive(place, "radius", primitive.radius);
  const Vec3 outer = 0.5 * primitive.size;
  const double r = primitive.radius;
  if (r > std::min({outer.x, outer.y, outer.z})) {
    Refuse(place, "radius", r, "It may be half the shortest edge at most.");
  }
  if (r <= kSharp * std::max({outer.x, outer.y, outer.z}))
    return ToPieces(Box{primitive.size}, place);
  Vec3 inner;
  for (int k = 0; k < 3; ++k) {
    inner[k] = outer[k] - r;
    if (inner[k] <= 1e-12 * outer[k]) inner[k] = 0;
  }
  Pieces pieces;
  if (inner.y > 0 && inner.z > 0) pieces.push_back(Middle(inner, outer));
  for (int code = 0; code < 27; ++code) {
    const std::array<int, 3> side{(code + 1) % 3 - 1, (code / 3 + 1) % 3 - 1,
                                  (code / 9 + 1) % 3 - 1};
    if (side[1] == 0 && side[2] == 0) continue;  // the middle
    const bool is_flat = (side[0] == 0 && inner.x == 0) || (side[1] == 0 && inner.y == 0) ||
                         (side[2] == 0 && inner.z == 0);
    if (!is_flat) pieces.push_back(Piece(side, inner, outer, r));
  }
  return pieces;
}

}  // namespace intervox::geometry
