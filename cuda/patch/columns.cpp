#include "cuda/patch/columns.h"

#include <algorithm>
#include <cmath>

#include "cuda/numerics/roots.h"
#include "geometry/faces.h"
#include "geometry/surface_ray.h"

namespace intervox::cuda::internal {
namespace {

using geometry::Surface;
using geometry::SurfaceKind;

/** Stretches nearer than this share of the box are one: a cut between two cells is no gap. */
constexpr double kSeam = 1e-9;
/** Spheres after which a torus' crossings are computed instead. */
constexpr int kSpheres = 12;
/** Newton steps to a torus, the last of which is this share of its minor radius, along rays this
 steep: the sine of their rise over its plane. */
constexpr int kNewton = 8;
constexpr double kConverged = 1e-8, kSteep = 0.9;
/** Pairs up to which cuts between them are sought. */
constexpr std::size_t kMostJoined = 16;

/** Whether two surfaces bound the same side of the same points of the box. */
bool IsSame(const Surface& a, const Surface& b, double half) {
  if (a.kind != b.kind || a.side != b.side) return false;
  if (a.kind == SurfaceKind::kPlane) {
    const Vec3 n = a.PlaneNormal();
    return Norm(n - b.PlaneNormal()) <= kSeam && std::fabs(Dot(n, a.o - b.o)) <= kSeam * half;
  }
  const auto equal = [](const Mat3& A, const Mat3& B) {
    return A.row0 == B.row0 && A.row1 == B.row1 && A.row2 == B.row2;
  };
  return equal(a.R, b.R) && a.o == b.o && a.e == b.e && a.l == b.l && a.c == b.c;
}

/** Leaves of a stretch what has rise · t ≤ room; false: nothing. */
bool CutAt(double room, double rise, int face, Stretch* stretch) {
  if (rise == 0.0) return !(room < 0.0);
  const double t = room / rise;
  if (rise > 0.0 && t < stretch->hi) stretch->hi = t, stretch->exit = face;
  if (rise < 0.0 && t > stretch->lo) stretch->lo = t, stretch->entry = face;
  return stretch->lo < stretch->hi;
}

/** Whether a stretch of a ray stays outside a torus, as spheres around its points tell: one that
 touches the torus reaches no farther. They begin at the end that another face has cut, so that they
 grow; false: not found within a few. */
bool IsPastTorus(const Surface& torus, const Vec3& origin, const Vec3& direction,
                 const Stretch& stretch) {
  const Vec3 d = TransposeTimes(torus.R, direction), p = TransposeTimes(torus.R, origin - torus.o);
  const double length = Norm(d), least = kSeam * torus.e.y;
  const double way = stretch.exit >= 0 ? -1.0 : 1.0;
  double left = length * (stretch.hi - stretch.lo), at = way < 0 ? stretch.hi : stretch.lo;
  for (int k = 0; k < kSpheres; ++k) {
    const Vec3 x = p + at * d;
    const double across = std::sqrt(x.x * x.x + x.y * x.y) - torus.e.x;
    const double room = std::sqrt(across * across + x.z * x.z) - torus.e.y;
    if (!(room > least)) return false;
    left -= room;
    if (left < 0) return true;
    at += way * room / length;
  }
  return false;
}

/** Where a ray steeply across a ring's plane leaves the torus, from the end of a stretch that
 another face has cut inside it. Such a ray meets a torus with R > 2 r in one stretch, so Newton's
 method has one root to find. False: it is no such ray or end, or the root is not found soon. */
bool LeavesTorus(const Surface& torus, const Vec3& origin, const Vec3& direction, Stretch* stretch,
                 int index) {
  if (!(torus.e.x > 2 * torus.e.y) || (stretch->entry >= 0) == (stretch->exit >= 0)) return false;
  const Vec3 d = TransposeTimes(torus.R, direction), p = TransposeTimes(torus.R, origin - torus.o);
  const double length = Norm(d), enough = kConverged * torus.e.y;
  if (!(std::fabs(d.z) > kSteep * length)) return false;
  const double way = stretch->exit >= 0 ? -1.0 : 1.0;
  double t = way < 0 ? stretch->hi : stretch->lo;
  for (int k = 0; k < kNewton; ++k) {
    const Vec3 x = p + t * d;
    const double rho = std::sqrt(x.x * x.x + x.y * x.y), across = rho - torus.e.x;
    const double value = across * across + x.z * x.z - torus.e.y * torus.e.y;
    if (k == 0 && !(value < 0.0)) return false;
    const double slope = 2 * (across * (x.x * d.x + x.y * d.y) / rho + x.z * d.z);
    if (!(way * slope > 0.0)) return false;
    const double step = -value / slope;
    t += step;
    if (std::fabs(step) * length > enough) continue;
    double* end = way < 0 ? &stretch->lo : &stretch->hi;
    if (!(way * (*end - t) > 0.0)) return true;  // cut before that
    *end = t;
    (way < 0 ? stretch->entry : stretch->exit) = index;
    return true;
  }
  return false;
}

}  // namespace

void Columns::Set(std::span<const PairQuery> pairs, const Vec3& p_WC, const Mat3& R_WP,
                  double half) {
  faces_.clear();
  pairs_.clear();
  half_ = half;
  const Vec3 box{half, half, half};
  for (const PairQuery& query : pairs) {
    Pair pair{faces_.size(), 0};
    bool apart = false;
    const auto add = [&](const geometry::Cell& cell, const Pose& X_WB, bool planes) {
      const Pose X_PB{Transpose(R_WP) * X_WB.R, TransposeTimes(R_WP, X_WB.p - p_WC)};
      for (const Surface& surface_B : cell.surfaces) {
        if ((surface_B.kind == SurfaceKind::kPlane) != planes) continue;
        Face face;
        face.surface = X_PB * surface_B;
        const geometry::Restriction kept =
            geometry::Restrict(face.surface, Vec3{}, Mat3::Identity(), box);
        if (kept == geometry::Restriction::kInside) continue;
        apart = apart || kept == geometry::Restriction::kOutside;
        SetForm(&face);
        Add(face);
      }
    };
    for (const bool planes : {true, false}) {  // cheap ones first: they leave less to cut
      add(*query.a, query.X_WA, planes);
      add(*query.b, query.X_WB, planes);
    }
    pair.count = faces_.size() - pair.first;
    if (!apart) pairs_.push_back(pair);
  }
  JoinPairs();
  convex_ = pairs_.size() == 1;
  for (const Face& face : faces_) {
    convex_ = convex_ && (face.dropped || geometry::KeepsConvex(face.surface));
  }
  SetTorusOnPlane();
  simple_ = convex_ && std::none_of(faces_.begin(), faces_.end(), [](const Face& face) {
              return face.form == Face::Form::kOther;
            });
}

void Columns::SetTorusOnPlane() {
  int planes = 0, tori = 0, others = 0;
  if (pairs_.size() == 1) {
    for (const Face& face : FacesOf(pairs_[0])) {
      if (face.dropped) continue;
      const bool torus = face.surface.kind == SurfaceKind::kTorus && face.surface.side > 0;
      ++(face.form == Face::Form::kPlane ? planes : torus ? tori : others);
    }
  }
  torus_on_plane_ = planes == 1 && tori == 1 && others == 0;
}

/** Drops the cuts between pairs that have all their other faces in common, as the sectors of a
 torus or a pipe do: (X ∩ H) ∪ (X \ H) = X. */
void Columns::JoinPairs() {
  if (pairs_.size() > kMostJoined) return;
  for (std::size_t a = 0; a < pairs_.size(); ++a) {
    for (std::size_t b = a + 1; b < pairs_.size(); ++b) {
      if (!Join(pairs_[a], pairs_[b])) continue;
      pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(b));
      a = static_cast<std::size_t>(-1);  // from the first again
      break;
    }
  }
}

/** Drops the one plane of a that b has the other side of; false: they differ in more. */
bool Columns::Join(const Pair& a, const Pair& b) {
  // The one face of a pair that another has not; null: there are none, or several.
  const auto only = [&](const Pair& pair, const Pair& another) -> Face* {
    Face* found = nullptr;
    for (Face& face : FacesOf(pair)) {
      const auto same = [&](const Face& f) { return !f.dropped && f.id == face.id; };
      const std::span<const Face> there = FacesOf(another);
      if (face.dropped || std::any_of(there.begin(), there.end(), same)) continue;
      if (found != nullptr) return nullptr;
      found = &face;
    }
    return found;
  };
  Face* const cut = only(a, b);
  const Face* const other = only(b, a);
  if (cut == nullptr || other == nullptr) return false;
  if (cut->form != Face::Form::kPlane || other->form != Face::Form::kPlane) return false;
  if (!(Norm(cut->n + other->n) <= kSeam)) return false;
  if (!(std::fabs(cut->d + other->d) <= kSeam * half_)) return false;
  cut->dropped = true;
  return true;
}

/** Writes the kept side as n·p ≤ d or p·A p + 2 n·p ≤ d where that is all that there is to it. */
void Columns::SetForm(Face* face) {
  const Surface& surface = face->surface;
  const auto side = static_cast<double>(surface.side);
  if (surface.kind == SurfaceKind::kPlane) {
    face->form = Face::Form::kPlane;
    face->n = side * surface.PlaneNormal();
    face->d = Dot(face->n, surface.o);
  } else if (surface.kind == SurfaceKind::kEllipsoid || surface.kind == SurfaceKind::kCylinder) {
    // f = y·e y + c with y = Rᵀ(p − o); of f at the origin only what is left of it is kept.
    face->form = Face::Form::kQuadric;
    face->A = surface.R * Mat3::Diagonal(side * surface.e) * Transpose(surface.R);
    face->n = -(face->A * surface.o);
    face->d = -side * geometry::Value(surface, Vec3{});
  }
}

/** Adds a face; where cells of one solid share a surface, as the two sides of a cut do, it gets the
 first one's number. */
void Columns::Add(Face face) {
  const auto same = std::find_if(faces_.begin(), faces_.end(), [&](const Face& other) {
    return IsSame(other.surface, face.surface, half_);
  });
  face.id = same == faces_.end() ? static_cast<int>(faces_.size()) : same->id;
  faces_.push_back(face);
}

void Columns::Cut(const Face& face, const Vec3& origin, const Vec3& direction, double t_min,
                  double t_max) {
  const int index = face.id;
  if (face.form == Face::Form::kPlane) {
    const double room = face.d - Dot(face.n, origin), rise = Dot(face.n, direction);
    next_.clear();
    for (Stretch& s : now_) {
      if (CutAt(room, rise, index, &s)) next_.push_back(s);
    }
  } else {
    if (face.surface.kind == SurfaceKind::kTorus && face.surface.side > 0 && now_.size() == 1) {
      if (LeavesTorus(face.surface, origin, direction, &now_[0], index)) return;
      if (IsPastTorus(face.surface, origin, direction, now_[0])) {
        now_.clear();
        return;
      }
    }
    const geometry::Intervals in =
        geometry::RayIntervals(face.surface, origin, direction, t_min, t_max);
    next_.clear();
    for (const Stretch& s : now_) {
      for (int k = 0; k < in.count; ++k) {
        Stretch part = s;
        if (in.lo[k] > part.lo) part.lo = in.lo[k], part.entry = index;
        if (in.hi[k] < part.hi) part.hi = in.hi[k], part.exit = index;
        if (part.lo < part.hi) next_.push_back(part);
      }
    }
  }
  std::swap(now_, next_);
}

/** Makes stretches that touch, on the two sides of a cut between cells, one. */
void Columns::Merge() {
  if (all_.size() < 2) return;
  std::stable_sort(all_.begin(), all_.end(),
                   [](const Stretch& a, const Stretch& b) { return a.lo < b.lo; });
  std::size_t last = 0;
  for (std::size_t k = 1; k < all_.size(); ++k) {
    if (all_[k].lo > all_[last].hi + kSeam * half_) {
      all_[++last] = all_[k];
    } else if (all_[k].hi > all_[last].hi) {
      all_[last].hi = all_[k].hi;
      all_[last].exit = all_[k].exit;
    }
  }
  all_.resize(last + 1);
}

std::span<const Stretch> Columns::Along(const Vec3& origin, const Vec3& direction, double t_min,
                                        double t_max) {
  all_.clear();
  for (const Pair& pair : pairs_) {
    now_.assign(1, {t_min, t_max, -1, -1});
    for (const Face& face : FacesOf(pair)) {
      if (!face.dropped && !now_.empty()) Cut(face, origin, direction, t_min, t_max);
    }
    all_.insert(all_.end(), now_.begin(), now_.end());
  }
  Merge();
  return all_;
}

/** Shortens the stretch to what a simple overlap has of the ray; false: nothing. */
bool Columns::Through(const Vec3& origin, const Vec3& direction, Stretch* stretch) const {
  Stretch s = *stretch;
  for (const Face& face : faces_) {
    if (face.dropped) continue;
    double rise = Dot(face.n, direction), room = face.d - Dot(face.n, origin);
    if (face.form == Face::Form::kPlane) {
      if (!CutAt(room, rise, face.id, &s)) return false;
    } else {  // a t² + 2 b t − c ≤ 0, a ≥ 0
      const Vec3 Ad = face.A * direction;
      const double a = Dot(Ad, direction), b = rise + Dot(Ad, origin);
      const double c = room - Dot(face.n, origin) - Dot(origin, face.A * origin);
      if (!(a > 0.0)) {  // along a cylinder
        if (!CutAt(0.5 * c, b, face.id, &s)) return false;
        continue;
      }
      const double square = b * b + a * c;
      if (!(square > 0.0)) return false;
      const RootPair roots = QuadraticRoots(a, b, -c, std::sqrt(square));
      if (roots.second < s.hi) s.hi = roots.second, s.exit = face.id;
      if (roots.first > s.lo) s.lo = roots.first, s.entry = face.id;
    }
    if (!(s.lo < s.hi)) return false;
  }
  *stretch = s;
  return true;
}

bool Columns::From(const Vec3& origin, const Vec3& direction, double most, double slack,
                   Stretch* stretch) {
  if (simple_) {
    *stretch = {0.0, most, -1, -1};
    return Through(origin, direction, stretch) && stretch->lo <= slack;
  }
  const std::span<const Stretch> all = Along(origin, direction, 0.0, most);
  if (all.empty() || all[0].lo > slack) return false;
  *stretch = all[0];
  return true;
}

Column Columns::At(double x, double y) {
  Column column;
  if (simple_) {
    column.main = {-half_, half_, -1, -1};
    if (Through({x, y, 0}, {0, 0, 1}, &column.main)) {
      column.depth = column.main.hi - column.main.lo;
    }
    return column;
  }
  for (const Stretch& s : Along({x, y, 0}, {0, 0, 1}, -half_, half_)) {
    column.depth += s.hi - s.lo;
    if (s.hi - s.lo > column.main.hi - column.main.lo) column.main = s;
  }
  return column;
}

int Columns::Rings(const Vec2& e, double* places) const {
  const auto across = [&](const Vec3& v) { return e.x * v.y - e.y * v.x; };
  int count = 0;
  for (const Face& face : faces_) {
    const Surface& torus = face.surface;
    if (torus.kind != SurfaceKind::kTorus || &face != &faces_[static_cast<std::size_t>(face.id)]) {
      continue;  // one that was there before
    }
    // e × (o + c u + s v) = 0 with c² + s² = 1
    const Vec3 u = torus.e.x * torus.R.Col(0), v = torus.e.x * torus.R.Col(1);
    const double U = across(u), V = across(v), W = across(torus.o), square = U * U + V * V;
    const double room = square - W * W;
    if (!(room > 0.0)) continue;
    const double root = std::sqrt(room);
    for (const double sign : {-1.0, 1.0}) {
      const double c = (-W * U - sign * root * V) / square, s = (-W * V + sign * root * U) / square;
      const Vec3 x = torus.o + c * u + s * v;
      const double place = (x.x * e.x + x.y * e.y) / (e.x * e.x + e.y * e.y);
      if (place > 0.0 && count < kMostRings) places[count++] = place;
    }
  }
  return count;
}

Vec3 Columns::NormalOf(int face, const Vec3& p) const {
  const Face& f = faces_[static_cast<std::size_t>(face)];
  switch (f.form) {
    case Face::Form::kPlane:
      return f.n;
    case Face::Form::kQuadric:
      return f.A * p + f.n;
    default:
      return geometry::OutwardNormal(f.surface, p);
  }
}

}  // namespace intervox::cuda::internal
