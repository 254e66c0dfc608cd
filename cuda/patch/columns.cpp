#include "cuda/patch/columns.h"

#include <algorithm>
#include <cmath>

#include "cuda/numerics/roots.h"
#include "geometry/surface_ray.h"

namespace intervox::cuda::internal {
namespace {

using geometry::Surface;
using geometry::SurfaceKind;

/** Stretches nearer than this share of the box are one: a cut between two cells is no gap. */
constexpr double kSeam = 1e-9;

bool KeepsConvexSide(const Surface& surface) {
  switch (surface.kind) {
    case SurfaceKind::kPlane:
      return true;
    case SurfaceKind::kEllipsoid:
    case SurfaceKind::kCylinder:
    case SurfaceKind::kCone:
      return surface.side > 0;
    default:
      return false;
  }
}

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

}  // namespace

void Columns::Set(std::span<const PairQuery> pairs, const Vec3& p_WC, const Mat3& R_WP,
                  double half) {
  faces_.clear();
  pairs_.clear();
  half_ = half;
  convex_ = pairs.size() == 1;
  const Vec3 box{half, half, half};
  for (const PairQuery& query : pairs) {
    Pair pair{static_cast<int>(faces_.size()), 0};
    bool apart = false;
    const auto add = [&](const geometry::Cell& cell, const Pose& X_WB) {
      const Pose X_PB{Transpose(R_WP) * X_WB.R, TransposeTimes(R_WP, X_WB.p - p_WC)};
      for (const Surface& surface_B : cell.surfaces) {
        Face face;
        face.surface = X_PB * surface_B;
        const geometry::Restriction kept =
            geometry::Restrict(face.surface, Vec3{}, Mat3::Identity(), box);
        if (kept == geometry::Restriction::kInside) continue;
        apart = apart || kept == geometry::Restriction::kOutside;
        SetForm(&face);
        convex_ = convex_ && KeepsConvexSide(face.surface);
        Add(face);
      }
    };
    add(*query.a, query.X_WA);
    add(*query.b, query.X_WB);
    pair.count = static_cast<int>(faces_.size()) - pair.first;
    if (!apart) pairs_.push_back(pair);
  }
  convex_ = convex_ && !pairs_.empty();
  simple_ = convex_ && std::none_of(faces_.begin(), faces_.end(), [](const Face& face) {
              return face.form == Face::Form::kOther;
            });
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
  face.id = static_cast<int>(faces_.size());
  for (std::size_t k = 0; k < faces_.size() && face.id == static_cast<int>(faces_.size()); ++k) {
    if (IsSame(faces_[k].surface, face.surface, half_)) face.id = faces_[k].id;
  }
  faces_.push_back(face);
}

void Columns::Cut(const Face& face, const Vec3& origin, const Vec3& direction, double t_min,
                  double t_max) {
  const int index = face.id;
  if (face.form == Face::Form::kPlane) {
    const double room = face.d - Dot(face.n, origin), rise = Dot(face.n, direction);
    next_.clear();
    for (Stretch& s : now_) {
      if (rise == 0.0) {
        if (room < 0.0) s.hi = s.lo;
      } else {
        const double t = room / rise;
        if (rise > 0.0 && t < s.hi) s.hi = t, s.exit = index;
        if (rise < 0.0 && t > s.lo) s.lo = t, s.entry = index;
      }
      if (s.lo < s.hi) next_.push_back(s);
    }
  } else {
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
    for (int f = pair.first; f < pair.first + pair.count && !now_.empty(); ++f) {
      Cut(faces_[static_cast<std::size_t>(f)], origin, direction, t_min, t_max);
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
    double rise = Dot(face.n, direction), room = face.d - Dot(face.n, origin);
    if (face.form == Face::Form::kPlane) {
      if (rise == 0.0) {
        if (room < 0.0) return false;
        continue;
      }
      const double t = room / rise;
      if (rise > 0.0 && t < s.hi) s.hi = t, s.exit = face.id;
      if (rise < 0.0 && t > s.lo) s.lo = t, s.entry = face.id;
    } else {  // a t² + 2 b t − c ≤ 0, a ≥ 0
      const Vec3 Ad = face.A * direction;
      const double a = Dot(Ad, direction), b = rise + Dot(Ad, origin);
      const double c = room - Dot(face.n, origin) - Dot(origin, face.A * origin);
      if (!(a > 0.0)) {  // along a cylinder
        if (b == 0.0 && c < 0.0) return false;
        if (b == 0.0) continue;
        const double t = 0.5 * c / b;
        if (b > 0.0 && t < s.hi) s.hi = t, s.exit = face.id;
        if (b < 0.0 && t > s.lo) s.lo = t, s.entry = face.id;
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
