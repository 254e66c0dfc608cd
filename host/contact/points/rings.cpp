#include "host/contact/points/rings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/surface_eval.h"
#include "host/contact/points/extremes.h"
#include "host/contact/points/nearest.h"
#include "host/contact/points/shared_faces.h"
#include "host/contact/points/vertices.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

/** Looks along the circle, of which some are points that keep their places. */
constexpr int kLooks = 48, kKept = 12;
/** What the kept points weigh together: three points bear what is flat. */
constexpr double kKeptWeight = 3.0 / kKept;
/** U_p/U_f below which only kept points count, and above which none do. */
constexpr double kFlat = 0.5, kSteep = 1.5;
/** Of a point's stiffness, where it has just come. */
constexpr double kLeastWeight = 1e-6;
/** Features: one place that is deepest is 0, the kept ones follow, then several deepest places. */
constexpr int kFirstKept = 1, kFirstPlace = kFirstKept + kKept;

/** The surface of a whole torus; null: the cell is none. */
const Surface* TorusOf(const Cell& cell) {
  const bool whole = cell.surfaces.size() == 1 && cell.surfaces[0].kind == SurfaceKind::kTorus &&
                     cell.surfaces[0].side > 0 && !cell.grid.field;
  return whole ? cell.surfaces.data() : nullptr;
}

/** An angle moved by whole turns into [from, from + 2π). */
double TurnedBeyond(double angle, double from) {
  const double turn = 2.0 * M_PI;
  return angle - turn * std::floor((angle - from) / turn);
}

/** A place on the circle with its foot, in the other cell's frame. */
struct Look {
  double angle = 0.0;
  Vec3 c;
  Foot foot;
  double slope = 0.0;  ///< d foot.x / d angle [m]
};

/** The circle that a torus is round, in the frame of the cell that it touches. */
class Circle {
 public:
  Circle(const Surface& torus, const Pose& X_BA, const Cell& other)
      : o_(X_BA * torus.o),
        u_(X_BA.R * torus.R.Col(0)),
        v_(X_BA.R * torus.R.Col(1)),
        radius_(torus.e.x),
        other_(other) {}

  const Vec3& Center() const { return o_; }
  double Radius() const { return radius_; }

  std::optional<Look> At(double angle) const {
    const double cosine = std::cos(angle), sine = std::sin(angle);
    Look look{angle, o_ + radius_ * (cosine * u_ + sine * v_), {}, 0.0};
    const std::optional<Foot> foot = NearestOnCell(other_, look.c);
    if (!foot) return std::nullopt;
    look.foot = *foot;
    look.slope = radius_ * Dot(foot->n, cosine * v_ - sine * u_);
    return look;
  }

  /** The angle at which the circle is lowest along n. */
  double Lowest(const Vec3& n) const { return std::atan2(-Dot(n, v_), -Dot(n, u_)); }

  /** The least that the plane through a foot leaves for the distance between two angles: the
   distance from a convex cell is nowhere less than from that. */
  double LeastBeyond(const Vec3& c, const Foot& foot, double from, double to) const {
    const double across = radius_ * Dot(foot.n, u_), along = radius_ * Dot(foot.n, v_);
    const auto at = [&](double angle) {
      return across * std::cos(angle) + along * std::sin(angle);
    };
    const double lowest = TurnedBeyond(Lowest(foot.n), from);
    const double least = lowest < to ? -std::hypot(across, along) : std::fmin(at(from), at(to));
    return foot.x + Dot(foot.n, o_ - c) + least;
  }

 private:
  Vec3 o_, u_, v_;
  double radius_;
  const Cell& other_;
};

/** The place between two looks where the distance is least: it falls after the first and grows
 before the second. On a plane the circle is lowest where its normal says at once. */
std::optional<Look> LeastBetween(const Circle& circle, Look before, Look after) {
  constexpr int kMostLooks = 60;
  constexpr double kStill = 1e-14, kNarrow = 1e-13;
  Look best = before.foot.x < after.foot.x ? before : after;
  double weight_before = 1.0, weight_after = 1.0;
  for (int k = 0; k < kMostLooks && after.angle - before.angle > kNarrow; ++k) {
    double angle = TurnedBeyond(circle.Lowest(best.foot.n), before.angle);
    if (k % 3 != 0 || !(angle > before.angle && angle < after.angle)) {
      const double fall = weight_before * before.slope, rise = weight_after * after.slope;
      angle = before.angle + fall / (fall - rise) * (after.angle - before.angle);
      if (k % 3 == 2 || !(angle > before.angle && angle < after.angle))
        angle = 0.5 * (before.angle + after.angle);
    }
    std::optional<Look> look = circle.At(angle);
    if (!look) return std::nullopt;
    if (look->foot.x < best.foot.x) best = *look;
    if (std::fabs(look->slope) <= kStill * circle.Radius()) return look;
    if (look->slope < 0.0) {
      before = *look;
      weight_before = 1.0;
      weight_after *= 0.5;
    } else {
      after = *look;
      weight_after = 1.0;
      weight_before *= 0.5;
    }
  }
  return best;
}

/** Looks all along the circle, but where the ring is certainly not deep. */
class Looks {
 public:
  Looks(const Circle& circle, const Cell& cell, double tube)
      : circle_(circle),
        tube_(tube),
        convex_(!HasHollows(cell) && std::none_of(cell.surfaces.begin(), cell.surfaces.end(),
                                                  [](const Surface& s) { return s.cut; })) {}

  /** False where a foot is not found. */
  bool Take(const Foot& middle) {
    // Between looks the distance falls by no more than half of the way.
    const double half = circle_.Radius() * M_PI / kLooks;
    for (int k = 0; k < kLooks; ++k) Exclude(circle_.Center(), middle, k);
    for (int k = 0; k < kLooks; ++k) {
      if (IsFar(k + kLooks - 1) && IsFar(k)) continue;
      std::optional<Look>& look = looks_[static_cast<std::size_t>(k)];
      look = circle_.At(2.0 * M_PI * k / kLooks);
      if (!look) return false;
      gap_ = std::fmin(gap_, look->foot.x - half - tube_);
      for (int next = k; next < kLooks && Exclude(look->c, look->foot, next); ++next) continue;
    }
    return true;
  }

  /** Whether the ring is not deep between look k and the next. */
  bool IsFar(int k) const { return far_[static_cast<std::size_t>(k % kLooks)]; }
  /** Empty only between two places where the ring is far. */
  const std::optional<Look>& At(int k) const {
    return looks_[static_cast<std::size_t>(k % kLooks)];
  }
  /** How deep the ring is there; 0 where it is not. */
  double DepthAt(int k) const { return At(k) ? std::fmax(0.0, tube_ - At(k)->foot.x) : 0.0; }
  /** A distance that the ring is certainly apart; below 0 where none is known. */
  double Gap() const { return gap_; }

 private:
  /** Whether a foot shows that the ring is far after look k. */
  bool Exclude(const Vec3& c, const Foot& foot, int k) {
    if (IsFar(k)) return true;
    const double turn = 2.0 * M_PI / kLooks;
    const double room =
        convex_ ? circle_.LeastBeyond(c, foot, k * turn, (k + 1) * turn) - tube_ : 0;
    if (!(room > 0.0)) return false;
    far_[static_cast<std::size_t>(k)] = true;
    gap_ = std::fmin(gap_, room);
    return true;
  }

  const Circle& circle_;
  double tube_;
  bool convex_;
  double gap_ = HUGE_VAL;
  std::array<std::optional<Look>, kLooks> looks_;
  std::array<bool, kLooks> far_{};
};

/** A place where the ring is deepest, after a look, and its weight. */
struct Place {
  int after = 0;
  Look look;
  double depth = 0.0, energy = 0.0;
  double weight = 1.0;
  int group = 0;  ///< of places that have something between them
};

/** Takes an energy from the places of a group, in equal shares of what they have left. */
void TakeFrom(int group, double energy, std::vector<Place>* places) {
  double all = 0.0;
  for (const Place& place : *places)
    all += place.group == group ? place.weight * place.energy : 0.0;
  const double left = all > 0.0 ? std::fmax(0.0, 1.0 - energy / all) : 1.0;
  for (Place& place : *places) place.weight *= place.group == group ? left : 1.0;
}

/** The most that a place of a group has. */
double MostOf(int group, const std::vector<Place>& places) {
  double most = 0.0;
  for (const Place& place : places) {
    if (place.group == group) most = std::fmax(most, place.energy);
  }
  return most;
}

/** Takes what the ring has between two places from both, the most first. All of it is taken from
 one that has no more itself, so that it may go. The least between two is left out: one place alone
 would have it to both sides. */
void ShareBetween(const Looks& looks, double power, std::vector<Place>* places) {
  struct Between {
    double energy;
    std::size_t before;
  };
  thread_local std::vector<Between> between;
  between.clear();
  const std::size_t count = places->size();
  for (std::size_t k = 0; k < count; ++k) {
    const int from = (*places)[k].after, to = (*places)[(k + 1) % count].after;
    double least = HUGE_VAL;
    for (int at = (from + 1) % kLooks;; at = (at + 1) % kLooks) {
      least = std::fmin(least, looks.DepthAt(at));
      if (at == to) break;
    }
    between.push_back({PowerOf(least, power), k});
    (*places)[k].group = static_cast<int>(k);
  }
  std::stable_sort(between.begin(), between.end(),
                   [](const Between& one, const Between& two) { return one.energy > two.energy; });
  for (std::size_t k = 0; k + 1 < count && between[k].energy > 0.0; ++k) {
    const int one = (*places)[between[k].before].group,
              two = (*places)[(between[k].before + 1) % count].group;
    const double most_one = MostOf(one, *places), most_two = MostOf(two, *places);
    const double energy = std::fmin(between[k].energy, std::fmin(most_one, most_two));
    const double of_one = most_one - energy, of_two = most_two - energy;
    const double from_one = of_one + of_two > 0.0 ? of_two / (of_one + of_two) : 0.5;
    TakeFrom(one, from_one * energy, places);
    TakeFrom(two, (1.0 - from_one) * energy, places);
    for (Place& place : *places) place.group = place.group == two ? one : place.group;
  }
}

/** Points of a ring of body A on a convex cell of B. */
std::optional<double> RingPoints(const Surface& torus, const Pose& X_WA, const Cell& cell,
                                 const Pose& X_WB, double power, std::vector<PointContact>* out,
                                 std::optional<PointContact>* on_cut) {
  const double tube = torus.e.y;
  const Pose X_BA{Transpose(X_WB.R) * X_WA.R, TransposeTimes(X_WB.R, X_WA.p - X_WB.p)};
  const Circle circle(torus, X_BA, cell);
  const std::optional<Foot> middle = NearestOnCell(cell, circle.Center());
  if (!middle) return std::nullopt;
  const double room = middle->x - circle.Radius() - tube;
  if (room > 0.0) return room;

  thread_local std::vector<Place> places;
  places.clear();
  Looks looks(circle, cell, tube);
  if (!looks.Take(*middle)) return std::nullopt;
  if (looks.Gap() > 0.0) return looks.Gap();
  for (int k = 0; k < kLooks; ++k) {
    if (looks.IsFar(k)) continue;
    const Look& before = *looks.At(k);
    Look after = *looks.At(k + 1);
    if (k + 1 == kLooks) after.angle += 2.0 * M_PI;
    if (!(before.slope < 0.0 && after.slope >= 0.0)) continue;
    const std::optional<Look> least = LeastBetween(circle, before, after);
    if (!least) return std::nullopt;
    const double depth = tube - least->foot.x;
    if (depth > 0.0) places.push_back({k, *least, depth, PowerOf(depth, power), 1.0, 0});
  }
  ShareBetween(looks, power, &places);

  const auto point_at = [&](int feature, const Look& look, double weight) {
    const Vec3 n = X_WB.R * look.foot.n, p_WA = X_WB * look.c - tube * n;
    const double x = look.foot.x - tube;
    return PointContact{feature, x, n, p_WA, p_WA - x * n, std::fmax(kLeastWeight, weight)};
  };
  double of_places = 0.0, of_kept = 0.0;
  const Place* cut = nullptr;
  for (const Place& place : places) {
    if (place.look.foot.is_cut) {
      if (cut == nullptr || place.depth > cut->depth) cut = &place;
    } else {
      of_places += place.weight * place.energy;
    }
  }
  for (int k = 0; k < kLooks; k += kLooks / kKept) {
    const bool counts = looks.DepthAt(k) > 0.0 && !looks.At(k)->foot.is_cut;
    if (counts) of_kept += kKeptWeight * PowerOf(looks.DepthAt(k), power);
  }
  if (cut != nullptr && on_cut != nullptr) *on_cut = point_at(0, cut->look, 1.0);

  // s(q) and its slope.
  double weight_places = 1.0, weight_kept = 0.0;
  if (of_places < kSteep * of_kept) {
    const double q = of_places / of_kept, beyond = std::fmax(0.0, q - kFlat);
    weight_places = beyond;
    weight_kept = 1.0 + 0.5 * beyond * beyond - q * beyond;
  }
  static_assert(kSteep - kFlat == 1.0);
  for (const Place& place : places) {
    const double weight = weight_places * place.weight;
    if (place.look.foot.is_cut || !(weight > 0.0)) continue;
    out->push_back(
        point_at(places.size() == 1 ? 0 : kFirstPlace + place.after, place.look, weight));
  }
  for (int k = 0; k < kKept && weight_kept > 0.0; ++k) {
    const int at = k * (kLooks / kKept);
    if (!(looks.DepthAt(at) > 0.0) || looks.At(at)->foot.is_cut) continue;
    out->push_back(point_at(kFirstKept + k, *looks.At(at), kKeptWeight * weight_kept));
  }
  return 0.0;
}

}  // namespace

double TubeOf(const Cell& cell) {
  const Surface* torus = TorusOf(cell);
  return torus != nullptr ? torus->e.y : 0.0;
}

double WidestHollow(const Cell& cell) {
  double widest = 0.0;
  for (const Surface& s : cell.surfaces) {
    if (s.kind == SurfaceKind::kPlane || s.side > 0) continue;
    const bool is_known = s.kind == SurfaceKind::kCylinder || geometry::IsSphere(s);
    widest = std::fmax(widest, is_known ? std::sqrt(-s.c / s.e.x) : HUGE_VAL);
  }
  return widest;
}

bool IsConvexTo(double radius, const Cell& cell) {
  if (cell.grid.field || !cell.bounded || !(WidestHollow(cell) < radius)) return false;
  return HasCorners(cell) || IsRoundWithVertices(cell);
}

bool IsRingOnConvex(const Cell& a, const Cell& b) {
  return (TorusOf(a) != nullptr && IsConvexTo(TubeOf(a), b)) ||
         (TorusOf(b) != nullptr && IsConvexTo(TubeOf(b), a));
}

std::optional<double> PointsOfRing(const PairQuery& query, double power,
                                   std::vector<PointContact>* out,
                                   std::optional<PointContact>* on_cut) {
  if (const Surface* torus = TorusOf(*query.a)) {
    return RingPoints(*torus, query.X_WA, *query.b, query.X_WB, power, out, on_cut);
  }
  const std::size_t before = out->size();
  const auto gap =
      RingPoints(*TorusOf(*query.b), query.X_WB, *query.a, query.X_WA, power, out, on_cut);
  for (std::size_t k = before; k < out->size(); ++k) (*out)[k] = OfTheOther((*out)[k]);
  if (on_cut != nullptr && *on_cut) *on_cut = OfTheOther(**on_cut);
  return gap;
}

}  // namespace intervox::host::points
