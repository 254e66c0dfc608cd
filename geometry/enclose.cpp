#include "geometry/enclose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "geometry/make_surface.h"

namespace intervox::geometry {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/** Where a polytope is not bounded, an extent of more than this many scales counts as infinite: the
 clipping cube cuts a cone of slope 1e-4 off at 100 scales. */
constexpr double kFar = 1e-4 * kUnboundedReach;
/** How often the box of a general quadric is contracted. */
constexpr int kContractions = 4;
/** A candidate box must be this much smaller to replace an earlier one. */
constexpr double kSmaller = 1 - 1e-9;
/** Most planes that propose axes of the box. */
constexpr std::size_t kMostAxes = 12;

void AddSlab(const Surface& S, int axis, double lo, double hi, std::vector<PlaneCut>* cuts) {
  const Vec3 n = S.R.Col(axis);
  const double o = Dot(n, S.o);
  if (hi < kInfinity) cuts->push_back({n, o + hi, -1});
  if (lo > -kInfinity) cuts->push_back({-n, -o - lo, -1});
}

/** Tangent planes of a surface whose side f ≤ 0 is kept. */
void AddTangents(const Surface& S, std::vector<PlaneCut>* cuts) {
  switch (S.kind) {
    case SurfaceKind::kEllipsoid:
    case SurfaceKind::kCylinder:
      for (int k = 0; k < (S.kind == SurfaceKind::kCylinder ? 2 : 3); ++k) {
        const double r = std::sqrt(-S.c / S.e[k]);
        AddSlab(S, k, -r, r, cuts);
      }
      break;
    case SurfaceKind::kCone: {
      const double slope = std::sqrt(-S.e.z / S.e.x);
      const double norm = std::sqrt(1 + slope * slope);
      for (int k = 0; k < 2; ++k) {
        for (int sign = -1; sign <= 1; sign += 2) {
          const Vec3 n = (sign / norm) * S.R.Col(k) - (slope / norm) * S.R.Col(2);
          cuts->push_back({n, Dot(n, S.o), -1});
        }
      }
      break;
    }
    case SurfaceKind::kTorus:
      for (int k = 0; k < 2; ++k) AddSlab(S, k, -S.e.x - S.e.y, S.e.x + S.e.y, cuts);
      AddSlab(S, 2, -S.e.y, S.e.y, cuts);
      break;
    default:
      break;
  }
}

/** The range of y in Σ (e y² + 2 l y) ≤ rest for one coordinate with e > 0: |y + l/e| ≤ r. */
bool Contract(const Surface& S, int side, Vec3* lower, Vec3* upper) {
  bool changed = false;
  for (int k = 0; k < 3; ++k) {
    const double e = side * S.e[k], l = side * S.l[k];
    double rest = -side * S.c;  // −c − the least of the other terms
    for (int j = 0; j < 3; ++j) {
      if (j == k) continue;
      const double ej = side * S.e[j], lj = side * S.l[j];
      double least = kInfinity;
      for (const double y : {(*lower)[j], (*upper)[j]}) {
        const bool flat = ej == 0 && lj == 0;
        least = std::min(least, flat            ? 0.0
                                : std::isinf(y) ? (ej != 0 ? (ej > 0 ? kInfinity : -kInfinity)
                                                           : (lj * y > 0 ? kInfinity : -kInfinity))
                                                : (ej * y + 2 * lj) * y);
      }
      if (ej > 0) {
        const double vertex = -lj / ej;
        if (vertex > (*lower)[j] && vertex < (*upper)[j]) least = -lj * lj / ej;
      }
      rest -= least;
    }
    if (!(rest < kInfinity) || std::isnan(rest)) continue;
    double lo = -kInfinity, hi = kInfinity;
    if (e > 0) {
      const double square = rest / e + (l / e) * (l / e);
      const double r = square > 0 ? std::sqrt(square) * (1 + 1e-14) : 0.0;
      lo = -l / e - r;
      hi = -l / e + r;
    } else if (e == 0 && l > 0) {
      hi = rest / (2 * l);
    } else if (e == 0 && l < 0) {
      lo = rest / (2 * l);
    }
    if (lo > (*lower)[k]) (*lower)[k] = lo, changed = true;
    if (hi < (*upper)[k]) (*upper)[k] = hi, changed = true;
  }
  return changed;
}

/** Extent of the polytope's vertices along n. */
void Extent(const Polytope& P, const Vec3& n, double* lo, double* hi) {
  *lo = kInfinity;
  *hi = -kInfinity;
  for (const Vec3& v : P.vertices) {
    *lo = std::min(*lo, Dot(n, v));
    *hi = std::max(*hi, Dot(n, v));
  }
}

/** Whether two frames have the same axes, in any order and direction. */
bool SameAxes(const Mat3& A, const Mat3& B) {
  constexpr double kOne = 1 - 1e-14;
  for (int i = 0; i < 3; ++i) {
    const Vec3 a = Abs(TransposeTimes(B, A.Col(i)));
    if (std::max({a.x, a.y, a.z}) < kOne) return false;
  }
  return true;
}

std::vector<Mat3> CandidateAxes(std::span<const Surface> surfaces) {
  std::vector<Mat3> axes{Mat3::Identity()};
  const auto add = [&axes](const Mat3& R) {
    const auto same = [&R](const Mat3& A) { return SameAxes(A, R); };
    if (std::none_of(axes.begin(), axes.end(), same)) axes.push_back(R);
  };
  std::vector<Vec3> normals;  // those of parallel planes give the same axes
  const auto propose = [&normals](const Vec3& n) {
    const auto same = [&n](const Vec3& m) { return m == n || m == -n; };
    if (std::none_of(normals.begin(), normals.end(), same)) normals.push_back(n);
  };
  std::size_t planes = 0;
  for (const Surface& S : surfaces) {
    if (S.kind == SurfaceKind::kPlane) {
      if (++planes <= kMostAxes) propose(S.PlaneNormal());
    } else if (S.side > 0) {
      add(S.R);
    }
  }
  for (std::size_t i = 0; i < normals.size(); ++i) {
    add(FrameAlong(normals[i]));
    for (std::size_t j = 0; j < normals.size(); ++j) {
      const Vec3 b = normals[j] - Dot(normals[i], normals[j]) * normals[i];
      if (j == i || SquaredNorm(b) < 1e-6) continue;
      const Vec3 x = Normalized(b);
      add(Mat3::FromColumns(x, Cross(normals[i], x), normals[i]));
    }
  }
  return axes;
}

}  // namespace

const PolytopeFace* FindFace(const EnclosingPolytope& hull, int surface) {
  const auto cut = std::find_if(hull.cuts.begin(), hull.cuts.end(),
                                [surface](const PlaneCut& c) { return c.id == surface; });
  if (cut == hull.cuts.end()) return nullptr;
  const int index = static_cast<int>(cut - hull.cuts.begin());
  const std::vector<PolytopeFace>& faces = hull.polytope.faces;
  const auto face = std::find_if(faces.begin(), faces.end(),
                                 [index](const PolytopeFace& f) { return f.cut == index; });
  return face != faces.end() ? &*face : nullptr;
}

double LengthScale(std::span<const Surface> surfaces) {
  double scale = 0;
  for (const Surface& S : surfaces) {
    scale = std::max(scale, Norm(S.o));
    if (S.kind == SurfaceKind::kTorus) scale = std::max(scale, S.e.x + S.e.y);
    if (S.kind == SurfaceKind::kPlane || S.kind == SurfaceKind::kTorus) continue;
    for (int k = 0; k < 3; ++k) {
      if (S.e[k] != 0) scale = std::max(scale, std::sqrt(std::abs(S.c / S.e[k])));
    }
  }
  return scale > 0 ? scale : 1.0;
}

namespace {

/** The place of the points through which many planes are given: those of a hull are its corners.
 Nothing for few planes, or other surfaces beside them. */
std::optional<Place> PlaceOfPoints(std::span<const Surface> surfaces) {
  constexpr std::size_t kMany = 64;
  if (surfaces.size() < kMany) return std::nullopt;
  Vec3 lower = surfaces.front().o, upper = lower;
  for (const Surface& S : surfaces) {
    if (S.kind != SurfaceKind::kPlane) return std::nullopt;
    lower = Min(lower, S.o);
    upper = Max(upper, S.o);
  }
  return PlaceOf(lower, upper);
}

/** Adds the finite walls of a box. */
void AddWalls(const Aabb& box, std::vector<PlaneCut>* cuts) {
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 n;
    n[axis] = 1;
    if (std::isfinite(box.upper[axis])) cuts->push_back({n, box.upper[axis], -1});
    if (std::isfinite(box.lower[axis])) cuts->push_back({-n, -box.lower[axis], -1});
  }
}

/** @param walls  a box that ends the polytope, too; null: none. */
EnclosingPolytope EncloseNear(std::span<const Surface> surfaces, const std::optional<Place>& near,
                              const Aabb* walls = nullptr) {
  EnclosingPolytope result;
  result.cuts.reserve(surfaces.size() + 6);
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const Surface& S = surfaces[i];
    if (S.kind == SurfaceKind::kPlane) {
      result.cuts.push_back(ToCut(S, static_cast<int>(i)));
    } else if (S.side > 0) {
      AddTangents(S, &result.cuts);
    }
  }
  if (walls != nullptr) AddWalls(*walls, &result.cuts);
  const double scale = LengthScale(surfaces);
  result.polytope = ClipPolytope(result.cuts, scale, near ? near : PlaceOfPoints(surfaces));
  for (const Surface& S : surfaces) {
    if (S.kind != SurfaceKind::kQuadric || result.polytope.empty) continue;
    const double far = result.polytope.bounded ? kInfinity : kFar * scale;
    Vec3 lower, upper;
    for (int k = 0; k < 3; ++k) {
      const double o = Dot(S.R.Col(k), S.o);
      Extent(result.polytope, S.R.Col(k), &lower[k], &upper[k]);
      lower[k] = lower[k] - o < -far ? -kInfinity : lower[k] - o;
      upper[k] = upper[k] - o > far ? kInfinity : upper[k] - o;
    }
    bool changed = false;
    for (int round = 0; round < kContractions; ++round) {
      if (!Contract(S, S.side, &lower, &upper)) break;
      changed = true;
    }
    if (!changed) continue;
    for (int k = 0; k < 3; ++k) AddSlab(S, k, lower[k], upper[k], &result.cuts);
    result.polytope = ClipPolytope(result.cuts, scale);
  }
  return result;
}

}  // namespace

EnclosingPolytope Enclose(std::span<const Surface> surfaces) {
  return EncloseNear(surfaces, std::nullopt);
}

EnclosingPolytope EncloseWithin(std::span<const Surface> surfaces, const Aabb& box) {
  const Place place = PlaceOf(box.lower, box.upper);
  if (!(std::isfinite(place.extent) && place.extent > 0)) return Enclose(surfaces);
  return EncloseNear(surfaces, place);
}

EnclosingPolytope EncloseIn(std::span<const Surface> surfaces, const Aabb& box) {
  return EncloseNear(surfaces, std::nullopt, &box);
}

std::optional<EnclosingPolytope> EncloseFurther(const EnclosingPolytope& hull, const Surface& plane,
                                                int id) {
  if (!hull.polytope.bounded || hull.polytope.empty) return std::nullopt;
  EnclosingPolytope further;
  further.cuts.reserve(hull.cuts.size() + 1);
  further.cuts = hull.cuts;
  further.cuts.push_back(ToCut(plane, id));
  std::optional<Polytope> polytope = ClipFurther(hull.polytope, further.cuts);
  if (!polytope) return std::nullopt;
  further.polytope = *std::move(polytope);
  return further;
}

std::optional<EnclosingPolytope> Renumbered(EnclosingPolytope hull,
                                            std::span<const std::ptrdiff_t> origin) {
  if (!hull.polytope.bounded || hull.polytope.empty) return std::nullopt;
  std::vector<int> moved(hull.cuts.size(), -1);  // to where each cut moves
  int kept = 0;
  for (std::size_t c = 0; c < hull.cuts.size(); ++c) {
    PlaneCut cut = hull.cuts[c];
    if (cut.id >= 0) {
      const auto at = std::lower_bound(origin.begin(), origin.end(), cut.id);
      if (at == origin.end() || *at != cut.id) continue;
      cut.id = static_cast<int>(at - origin.begin());
    }
    hull.cuts[kept] = cut;
    moved[c] = kept++;
  }
  const auto gone = [&](int cut) { return moved[cut] < 0; };
  if (std::any_of(hull.polytope.faces.begin(), hull.polytope.faces.end(),
                  [&](const PolytopeFace& face) { return gone(face.cut); }) ||
      std::any_of(hull.polytope.edges.begin(), hull.polytope.edges.end(), gone)) {
    return std::nullopt;
  }
  hull.cuts.resize(kept);
  for (PolytopeFace& face : hull.polytope.faces) face.cut = moved[face.cut];
  for (int& beyond : hull.polytope.edges) beyond = moved[beyond];
  return hull;
}

OrientedBox EnclosingBox(std::span<const Surface> surfaces, const Polytope& polytope) {
  const double far = kFar * LengthScale(surfaces);
  OrientedBox best;
  double best_volume = kInfinity;
  for (const Mat3& R : CandidateAxes(surfaces)) {
    OrientedBox box;
    box.X.R = R;
    Vec3 center;
    double volume = 1;
    for (int k = 0; k < 3; ++k) {
      const Vec3 n = R.Col(k);
      double lo, hi;
      Extent(polytope, n, &lo, &hi);
      for (const Surface& S : surfaces) {
        if (S.kind != SurfaceKind::kEllipsoid || S.side < 0) continue;
        const Vec3 m = TransposeTimes(S.R, n);
        double square = 0;
        for (int j = 0; j < 3; ++j) square += m[j] * m[j] * (-S.c / S.e[j]);
        const double reach = std::sqrt(square) * (1 + 1e-15);
        lo = std::max(lo, Dot(n, S.o) - reach);
        hi = std::min(hi, Dot(n, S.o) + reach);
      }
      volume *= std::max(hi - lo, 0.0);
      const bool infinite = !polytope.bounded && (lo < -far || hi > far);
      center[k] = infinite ? (lo < -far ? (hi > far ? 0.0 : hi) : lo) : 0.5 * (lo + hi);
      box.half[k] = infinite ? kInfinity : std::max(0.5 * (hi - lo), 0.0);
    }
    if (!(volume < kSmaller * best_volume)) continue;
    best_volume = volume;
    box.X.p = R * center;
    best = box;
  }
  return best;
}

}  // namespace intervox::geometry
