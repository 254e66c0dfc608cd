#include "geometry/primitives/thread.h"

#include <array>
#include <cmath>
#include <numbers>

#include "geometry/make_surface.h"
#include "geometry/primitives/prism.h"

namespace intervox::geometry {
namespace {

/** Shares of the pitch below this are rounding. */
constexpr double kRounding = 1e-9;

void Require(const Thread& t, const std::string& place) {
  if (t.sides < 3 || t.sides > kMostPrismSides) {
    Refuse(place, "sides", t.sides, "Give a number from 3 to 1000.");
  }
  RequirePositive(place, "radius", t.radius);
  RequirePositive(place, "root_radius", t.root_radius);
  RequirePositive(place, "the pitch without its sign", std::fabs(t.pitch));
  RequirePositive(place, "length", t.length);
  RequirePositive(place, "crest", t.crest);
  if (!(t.flank_deg >= 0 && t.flank_deg <= kMostFlankDeg)) {
    Refuse(place, "flank_deg", t.flank_deg, "Give an angle from 0 to 150.");
  }
  const double depth = std::fabs(t.radius - t.root_radius);
  if (!(depth > kRounding * t.radius)) {
    Refuse(place, "the depth", depth, "Make radius and root_radius differ.");
  }
  const double pieces = t.sides * (t.length / std::fabs(t.pitch) + 2);
  if (pieces > kMostThreadPieces) {
    Refuse(place, "the number of pieces", pieces,
           "Give fewer sides, a larger pitch or less length.");
  }
}

/** The plane through three points, solid to the other side of the z axis' direction `up`. */
Surface FlankPlane(const Vec3& a, const Vec3& b, const Vec3& c, double up) {
  const Vec3 n = Normalized(Cross(b - a, c - a));
  return MakePlane(n.z * up > 0 ? n : -n, a);
}

}  // namespace

Pieces ToPieces(const Thread& t, const std::string& place) {
  Require(t, place);
  const double rise = t.pitch / t.sides, half_angle = std::numbers::pi / t.sides;
  const double slope = std::tan(0.5 * t.flank_deg * std::numbers::pi / 180);
  const double at_crest = 0.5 * t.crest;
  const double at_root = at_crest + slope * std::fabs(t.radius - t.root_radius);
  if (2 * at_root > (1 + kRounding) * std::fabs(t.pitch)) {
    Refuse(place, "the width at the root", 2 * at_root,
           "It must not exceed the pitch: give a narrower crest, a smaller angle or less depth.");
  }
  const bool is_bolt = t.root_radius < t.radius;
  const double end = 0.5 * t.length;
  const auto direction = [&](double steps) {
    const double turned = std::fmod(steps, t.sides);  // the same bits in every turn
    return Vec3{std::cos(2 * half_angle * turned), std::sin(2 * half_angle * turned), 0};
  };
  const Surface top = MakePlane({0, 0, 1}, end), bottom = MakePlane({0, 0, -1}, end);
  Pieces pieces;
  if (is_bolt) {
    SurfaceList core{top, bottom};
    for (int k = 0; k < t.sides; ++k) {
      core.push_back(MakePlane(direction(k + 0.5), t.root_radius * std::cos(half_angle)));
    }
    pieces.push_back(std::move(core));
  }
  const int last = static_cast<int>(std::ceil((end + at_root) / std::fabs(rise)));
  for (int s = -last; s < last; ++s) {
    const double z[2] = {rise * s, rise * (s + 1)};
    const double low = std::fmin(z[0], z[1]) - at_root, high = std::fmax(z[0], z[1]) + at_root;
    const double thin = kRounding * std::fabs(t.pitch);
    if (low > end - thin || high < thin - end) continue;
    const int k = s + t.sides * (last / t.sides + 1);  // the same angle, positive
    const Vec3 from = direction(k), to = direction(k + 1), middle = direction(k + 0.5);
    const double out = is_bolt ? 1 : -1;
    SurfaceList piece{
        MakePlane(-out * middle, -out * t.root_radius * std::cos(half_angle)),
        MakePlane(out * middle, out * t.radius * std::cos(half_angle)),
        MakePlane({from.y, -from.x, 0}, 0.0),
        MakePlane({-to.y, to.x, 0}, 0.0),
    };
    for (const double up : {1.0, -1.0}) {
      // Root and crest at both ends; the two diagonals are two ways to fold, and one is convex.
      const std::array<Vec3, 4> p{t.root_radius * from + Vec3{0, 0, z[0] + up * at_root},
                                  t.root_radius * to + Vec3{0, 0, z[1] + up * at_root},
                                  t.radius * to + Vec3{0, 0, z[1] + up * at_crest},
                                  t.radius * from + Vec3{0, 0, z[0] + up * at_crest}};
      const Surface first = FlankPlane(p[0], p[1], p[2], up);
      const bool folds = Dot(first.PlaneNormal(), p[3] - p[0]) <= 0;
      piece.push_back(folds ? first : FlankPlane(p[0], p[1], p[3], up));
      piece.push_back(folds ? FlankPlane(p[0], p[2], p[3], up) : FlankPlane(p[1], p[2], p[3], up));
    }
    if (high > end) piece.push_back(top);
    if (low < -end) piece.push_back(bottom);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace intervox::geometry
