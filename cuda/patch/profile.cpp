#include "cuda/patch/profile.h"

#include <algorithm>
#include <cmath>

namespace intervox::cuda::internal {
namespace {

/** Columns that look for further runs. */
constexpr int kLooks = 12;
/** Steps to a rim, and how near, as a share of the way, its tip may be taken from the tangents. */
constexpr int kSteps = 8;
constexpr double kNear = 0.08;
/** Where a column is looked at before the end of a ray, as a share of the line. */
constexpr double kBefore = 1e-7;
/** Faces steeper than this have no tangent that a ray could follow. */
constexpr double kSteep = 1e-3;

/** A search along one line. */
class Line {
 public:
  Line(Columns* columns, const Vec2& e, double most) : columns_(*columns), e_(e), most_(most) {}

  Column At(double r) { return columns_.At(r * e_.x, r * e_.y); }

  /** The rim beyond a column inside, `way` +1 outward or −1 inward; sets what it is. */
  double RimFrom(double start, Column column, double way, int* rim) {
    *rim = -1;
    double r = start;
    for (int k = 0; k < kSteps; ++k) {
      const double z = 0.5 * (column.main.lo + column.main.hi);
      const double low = Slope(column.main.entry, r, column.main.lo);
      const double high = Slope(column.main.exit, r, column.main.hi);
      const double left = way > 0 ? most_ - r : r;
      int face = -1;
      const double step = StepAlong(r, z, way, 0.5 * (low + high), left, &face);
      if (face < 0) return way > 0 ? most_ : 0.0;
      r += way * step;
      const Column before = At(r - way * kBefore * most_);
      if (!(before.depth > 0)) return r;
      const bool tip = face == before.main.entry || face == before.main.exit;
      if (!tip || IsSteep(columns_.NormalOf(face, {r * e_.x, r * e_.y, z}))) {
        *rim = face;
        return r;
      }
      *rim = -2 - 64 * before.main.entry - before.main.exit;
      column = before;
      const double closing = way * (Slope(column.main.entry, r, column.main.lo) -
                                    Slope(column.main.exit, r, column.main.hi));
      if (!(closing > 0)) continue;
      const double gap = (column.main.hi - column.main.lo) / closing;
      if (gap <= kNear * std::fabs(r + way * gap - start)) return Within(r + way * gap);
    }
    return r;
  }

  /** Takes a guess of the tip of a wedge to the tip by the tangents at two columns shortly before
   it; false, with the guess as it was: it is elsewhere. */
  bool RimNear(double start, double way, double* guess, int* rim) {
    double tip = *guess, gap = 0.0;
    Column column;
    for (const double share : {0.97, 0.998}) {
      const double r = start + share * (tip - start);
      if (!(way * (r - start) > 0)) return false;
      column = At(r);
      if (!(column.depth > 0)) return false;
      const double closing = way * (Slope(column.main.entry, r, column.main.lo) -
                                    Slope(column.main.exit, r, column.main.hi));
      if (!(closing > 0)) return false;
      gap = (column.main.hi - column.main.lo) / closing;
      tip = r + way * gap;
    }
    if (!(gap <= kNear * std::fabs(tip - start))) return false;
    *guess = Within(tip);
    *rim = -2 - 64 * column.main.entry - column.main.exit;
    return true;
  }

  /** The depths of a run whose ends are known. */
  void Measure(Run* run) {
    for (int g = 0; g < kDepths; ++g) {
      const double r = run->from + kGauss[g] * (run->to - run->from);
      run->depth[static_cast<std::size_t>(g)] = At(r).depth;
    }
  }

 private:
  double Within(double r) const { return r < 0 ? 0.0 : r > most_ ? most_ : r; }

  /** dz/dr of a face at the height z over r e; 0 of a steep one. */
  double Slope(int face, double r, double z) const {
    if (face < 0) return 0.0;
    const Vec3 normal = columns_.NormalOf(face, {r * e_.x, r * e_.y, z});
    const double across = normal.x * e_.x + normal.y * e_.y;
    return IsSteep(normal) ? 0.0 : -across / normal.z;
  }

  static bool IsSteep(const Vec3& normal) { return !(std::fabs(normal.z) > kSteep * Norm(normal)); }

  /** How far the ray from (r e, z) stays inside, and the face that it leaves by; −1: `left`. */
  double StepAlong(double r, double z, double way, double slope, double left, int* face) {
    const Vec3 origin{r * e_.x, r * e_.y, z};
    const Vec3 direction{way * e_.x, way * e_.y, way * slope};
    if (!(left > 0)) return 0.0;
    Stretch stretch;
    if (!columns_.From(origin, direction, left, kBefore * most_, &stretch)) return left;
    *face = stretch.exit;
    return stretch.hi;
  }

  Columns& columns_;
  Vec2 e_;
  double most_;
};

}  // namespace

Profile FindProfile(Columns* columns, const Column& center, const Vec2& e, double most,
                    const Run& near) {
  Profile profile;
  Line line(columns, e, most);
  double end = 0.0;
  const auto add = [&](double from, double to, int inner, int rim) {
    end = to;
    if (!(to > from)) return;
    Run& run = profile.runs[static_cast<std::size_t>(profile.count++)];
    run.from = from;
    run.to = to;
    run.rim = rim;
    run.inner = inner;
    line.Measure(&run);
  };
  if (center.depth > 0) {
    int rim = -1;
    const double to = line.RimFrom(0.0, center, 1.0, &rim);
    add(0.0, to, 0, rim);
  }
  if (columns->IsConvex()) return profile;
  double places[kLooks + Columns::kMostRings];
  int looks = columns->Rings(e, places);
  const bool thin = columns->IsTorusOnPlane() && looks == 1 && profile.count == 0;
  for (int k = 0; k < kLooks && !thin; ++k) places[looks++] = most * (k + 0.5) / kLooks;
  std::sort(places, places + looks);
  for (int k = 0; k < looks && profile.count < Profile::kMost; ++k) {
    const double r = places[k];
    if (r <= end) continue;
    if (r > most) break;
    const Column inside = line.At(r);
    if (!(inside.depth > 0)) continue;
    int rim = -1, other = -1;
    double from = r + (near.from - near.found), to = r + (near.to - near.found);
    if (!thin || !line.RimNear(r, -1.0, &from, &other)) {
      from = line.RimFrom(r, inside, -1.0, &other);
      if (thin) line.RimNear(r, -1.0, &from, &other);
    }
    if (!thin || !line.RimNear(r, 1.0, &to, &rim)) {
      to = line.RimFrom(r, inside, 1.0, &rim);
      if (thin) line.RimNear(r, 1.0, &to, &rim);
    }
    add(from < end ? end : from, to, other, rim);
    if (profile.count > 0) profile.runs[static_cast<std::size_t>(profile.count - 1)].found = r;
  }
  return profile;
}

Profile ProfileTo(Columns* columns, const Vec2& e, double to) {
  Profile profile;
  profile.count = 1;
  profile.runs[0].to = to;
  Line(columns, e, to).Measure(&profile.runs[0]);
  return profile;
}

}  // namespace intervox::cuda::internal
