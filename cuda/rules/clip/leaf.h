/** @file One leaf of the clip rule: a box cut by planes, with exact moments of what is left. */
#pragma once

#include "cuda/local_pair.h"
#include "cuda/moments/moments.h"
#include "cuda/numerics/place.h"

namespace intervox::cuda::internal::clip {

/** A half-space n·y ≤ d in the mapped frame, with the weight of its face. */
struct HalfSpaceCut {
  Vec3 n;
  double d = 0;
  double weight = 0;
  double sag = 0;  ///< how far the surface bends away from the plane over the cell, in units of d
};

/** Sums over leaves in the mapped frame, about its origin. */
struct ClipSums : VolumeMoments {
  Vec3 s;                 ///< Σ weight ∫ n dS
  Mat3 t = Mat3::Zero();  ///< Σ weight ∫ y nᵀ dS
  double open = 0;        ///< volume that the planes do not resolve
  double rough = 0;    ///< Σ of the squares of the other leaves' volumes between plane and surface
  double between = 0;  ///< volume between voxels' planes and their levels at most: grids alone
  int leaves = 0;      ///< leaves with a curved surface
  int cells = 0;       ///< cells whose bounds were computed

  INTERVOX_HD ClipSums& operator+=(const ClipSums& o) {
    VolumeMoments::operator+=(o);
    s += o.s;
    t = t + o.t;
    open += o.open;
    rough += o.rough;
    between += o.between;
    leaves += o.leaves;
    cells += o.cells;
    return *this;
  }
};

/** Most corners of a face: a rectangle, two walls and one more for each cut. */
inline constexpr int kMaxCorners = 6 + kMaxSurfaces;

/** A convex polygon in space. */
struct Polygon {
  Vec3 p[kMaxCorners];
  int count = 0;
};

/** Room for a polygon while it is cut: it, what is kept of it, and its corners' levels. */
struct PolygonRoom {
  Place<Polygon> polygon, kept;
  double above[kMaxCorners];
};

/** Keeps n·y ≤ d of the polygon in the room. */
INTERVOX_HD inline void ClipPolygon(const Vec3& n, double d, PolygonRoom* room) {
  Polygon* const polygon = &room->polygon.value;
  double* const above = room->above;
  bool any_above = false;
  int lowest = 0;
  const int count = polygon->count;
  for (int i = 0; i < count; ++i) {
    above[i] = Dot(n, polygon->p[i]) - d;
    any_above = any_above || above[i] > 0;
    if (above[i] < above[lowest]) lowest = i;
  }
  if (!any_above) return;
  if (above[lowest] > 0) {
    polygon->count = 0;
    return;
  }
  // A convex loop leaves the half-space once and comes back once; where many planes share a corner,
  // rounding may cross more often, and the lowest corner tells which part is meant.
  const auto next = [&](int i) { return i + 1 == count ? 0 : i + 1; };
  const auto previous = [&](int i) { return i == 0 ? count - 1 : i - 1; };
  int leave = lowest, enter = lowest;
  while (above[next(leave)] <= 0) leave = next(leave);
  while (above[previous(enter)] <= 0) enter = previous(enter);
  const auto crossing = [&](int i, int j) {
    return polygon->p[i] + above[i] / (above[i] - above[j]) * (polygon->p[j] - polygon->p[i]);
  };
  const Vec3 first = crossing(leave, next(leave)), last = crossing(previous(enter), enter);
  Polygon& out = room->kept.value;
  out.count = 0;
  for (int i = enter;; i = next(i)) {
    out.p[out.count++] = polygon->p[i];
    if (i == leave) break;
  }
  out.p[out.count++] = first;
  out.p[out.count++] = last;
  polygon->count = out.count;
  for (int i = 0; i < out.count; ++i) polygon->p[i] = out.p[i];
}

/** Planes closer than this to a face of a box, in units of its half width, lie along it. */
inline constexpr double kAlongFace = 1e-10;

/** The polygon of the plane n·y = d in the box c ± h, counter-clockwise seen from n, in the room.
 */
INTERVOX_HD inline void PlaneInBox(const HalfSpaceCut& cut, const Vec3& c, const Vec3& h,
                                   PolygonRoom* room) {
  Polygon* const polygon = &room->polygon.value;
  const Vec3 reach = Scaled(Abs(cut.n), h);
  const int k = reach.z >= reach.x && reach.z >= reach.y ? 2 : reach.x >= reach.y ? 0 : 1;
  const int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
  const double nk = cut.n[k], ni = cut.n[i], nj = cut.n[j];
  // n·(y − c) = rest on the plane.
  const double rest = cut.d - Dot(cut.n, c);
  double offset[4];
  const double end = (1 + kAlongFace) * h[k];
  bool inside = true, outside_low = true, outside_high = true, over = false, under = false;
  const double near = (1 - kAlongFace) * h[k];  // of an end, which rounding may reach
  for (int v = 0; v < 4; ++v) {
    const double u = v == 1 || v == 2 ? h[i] : -h[i];
    const double w = v >= 2 ? h[j] : -h[j];
    offset[v] = (rest - ni * u - nj * w) / nk;
    inside = inside && offset[v] <= end && offset[v] >= -end;
    outside_high = outside_high && offset[v] > end;
    outside_low = outside_low && offset[v] < -end;
    over = over || offset[v] > near;
    under = under || offset[v] < -near;
  }
  if (outside_low || outside_high) {
    polygon->count = 0;
    return;
  }
  for (int v = 0; v < 4; ++v) {
    const int corner = nk > 0 ? v : 3 - v;
    Vec3& p = polygon->p[v];
    p[i] = c[i] + (corner == 1 || corner == 2 ? h[i] : -h[i]);
    p[j] = c[j] + (corner >= 2 ? h[j] : -h[j]);
    p[k] = c[k] + offset[corner];
  }
  polygon->count = 4;
  if (inside) return;
  Vec3 axis;
  axis[k] = 1;
  if (over) ClipPolygon(axis, c[k] + h[k], room);
  if (under) ClipPolygon(-axis, h[k] - c[k], room);
}

/** Adds the columns under a face, from the level z = base: ∫ (z − base) n_z dS and its companions.
 Walls along z have none, so that only cuts and the two ends of the box are faces. */
INTERVOX_HD inline void AddFace(const Polygon& polygon, double base, double weight,
                                ClipSums* sums) {
  for (int i = 2; i < polygon.count; ++i) {
    const Vec3 &a = polygon.p[0], &b = polygon.p[i - 1], &c = polygon.p[i];
    const Vec3 area = 0.5 * Cross(b - a, c - a);
    const double az = a.z - base, bz = b.z - base, cz = c.z - base;
    const double sx = a.x + b.x + c.x, sy = a.y + b.y + c.y, sz = az + bz + cz;
    const double ax_z = a.x * az, bx_z = b.x * bz, cx_z = c.x * cz;
    const double ay_z = a.y * az, by_z = b.y * bz, cy_z = c.y * cz;
    const double xx = a.x * a.x + b.x * b.x + c.x * c.x;
    const double yy = a.y * a.y + b.y * b.y + c.y * c.y;
    const double zz = az * az + bz * bz + cz * cz;
    const double xy = a.x * a.y + b.x * b.y + c.x * c.y;
    const double xz = ax_z + bx_z + cx_z;
    const double yz = ay_z + by_z + cy_z;
    const double w = area.z;
    // Integrals of products of two and three linear functions over a triangle.
    sums->v += w / 3 * sz;
    sums->m += w / 12 * Vec3{sx * sz + xz, sy * sz + yz, 0.5 * (sz * sz + zz)};
    const double xxz = a.x * ax_z + b.x * bx_z + c.x * cx_z;
    const double yyz = a.y * ay_z + b.y * by_z + c.y * cy_z;
    const double xyz = a.x * ay_z + b.x * by_z + c.x * cy_z;
    const double xzz = az * ax_z + bz * bx_z + cz * cx_z;
    const double yzz = az * ay_z + bz * by_z + cz * cy_z;
    const double zzz = az * az * az + bz * bz * bz + cz * cz * cz;
    sums->second.diag += w / 60 *
                         Vec3{sx * sx * sz + 2 * sx * xz + sz * xx + 2 * xxz,
                              sy * sy * sz + 2 * sy * yz + sz * yy + 2 * yyz,
                              (sz * sz * sz + 3 * sz * zz + 2 * zzz) / 3};
    sums->second.off += w / 60 *
                        Vec3{sx * sy * sz + sx * yz + sy * xz + sz * xy + 2 * xyz,
                             0.5 * (sx * sz * sz + sx * zz + 2 * sz * xz + 2 * xzz),
                             0.5 * (sy * sz * sz + sy * zz + 2 * sz * yz + 2 * yzz)};
    if (weight != 0) {
      const Vec3 wa = weight * area;
      sums->s += wa;
      sums->t = sums->t + Outer({sx / 3, sy / 3, sz / 3 + base}, wa);
    }
  }
}

/** Adds a share of a box, all over it alike. */
INTERVOX_HD inline void AddBox(double share, const Vec3& c, const Vec3& h, ClipSums* sums) {
  const double v = share * (8 * h.x * h.y * h.z);
  sums->v += v;
  sums->m += v * c;
  sums->second += v * (Square(c) + Sym3{Scaled(h, h) / 3, {}});
}

/** Adds a whole box. */
INTERVOX_HD inline void AddBox(const Vec3& c, const Vec3& h, ClipSums* sums) {
  AddBox(1.0, c, h, sums);
}

/** Which end of the box along z the half-space has its face along: −1, 1, or 0 for none. */
INTERVOX_HD inline int EndAlong(const HalfSpaceCut& cut, const Vec3& c, const Vec3& h) {
  const Vec3 reach = Scaled(Abs(cut.n), h);
  if (reach.x + reach.y > kAlongFace * reach.z) return 0;
  const double rest = cut.d - Dot(cut.n, c);
  return std::fabs(rest - reach.z) > kAlongFace * reach.z ? 0 : cut.n.z > 0 ? 1 : -1;
}

/** Adds the box c ± h cut by `count` half-spaces; exact for the polytope. A half-space whose face
 lies along one of the box has that face, in place of the box; on the other side of it is nothing.
 */
INTERVOX_HD inline void AddPolytope(const HalfSpaceCut* cut, int count, const Vec3& c,
                                    const Vec3& h, PolygonRoom* room, ClipSums* sums) {
  ClipSums leaf;
  Polygon& polygon = room->polygon.value;
  bool replaced[2] = {false, false};
  for (int k = 0; k < count; ++k) {
    const double reach = Dot(Abs(cut[k].n), h), rest = cut[k].d - Dot(cut[k].n, c);
    if (rest < -(1 - kAlongFace) * reach) return;
    const int end = EndAlong(cut[k], c, h);
    if (end != 0) replaced[end > 0] = true;
  }
  for (int k = 0; k < count; ++k) {
    PlaneInBox(cut[k], c, h, room);
    for (int j = 0; j < count && polygon.count > 0; ++j) {
      if (j != k) ClipPolygon(cut[j].n, cut[j].d, room);
    }
    AddFace(polygon, c.z, cut[k].weight, &leaf);
  }
  for (int end = -1; end <= 1; end += 2) {
    if (replaced[end > 0]) continue;
    const double z = c.z + end * h.z;
    polygon.p[0] = {c.x - h.x, c.y - end * h.y, z};
    polygon.p[1] = {c.x + h.x, c.y - end * h.y, z};
    polygon.p[2] = {c.x + h.x, c.y + end * h.y, z};
    polygon.p[3] = {c.x - h.x, c.y + end * h.y, z};
    polygon.count = 4;
    for (int j = 0; j < count && polygon.count > 0; ++j) {
      ClipPolygon(cut[j].n, cut[j].d, room);
    }
    AddFace(polygon, c.z, 0, &leaf);
  }
  // From z measured at the centre to z of the frame.
  leaf.second.diag.z += c.z * (2 * leaf.m.z + c.z * leaf.v);
  leaf.second.off.y += c.z * leaf.m.x;
  leaf.second.off.z += c.z * leaf.m.y;
  leaf.m.z += c.z * leaf.v;
  *sums += leaf;
}

}  // namespace intervox::cuda::internal::clip
