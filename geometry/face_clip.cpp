#include "geometry/face_clip.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/make_surface.h"
#include "geometry/plane_cut.h"

namespace intervox::geometry::internal {
namespace {

/** How many of these. */
constexpr std::size_t kNearest = 24;

/** A ball around the polygon: cuts that pass it by leave the polygon as it is. */
struct Ball {
  Vec3 center;
  double radius = 0.0;
};

Ball BallAround(const LoosePolygon& polygon) {
  Ball ball;
  for (std::size_t k = 0; k < polygon.n; ++k) ball.center += polygon.At(k);
  ball.center = ball.center / static_cast<double>(polygon.n);
  for (std::size_t k = 0; k < polygon.n; ++k) {
    ball.radius = std::max(ball.radius, Norm(polygon.At(k) - ball.center));
  }
  ball.radius *= 1 + 1e-9;
  return ball;
}

/** Whether one of four comparisons holds. */
template <class FourFlags>
bool Any(const FourFlags& flags) {
  return (flags[0] | flags[1] | flags[2] | flags[3]) != 0;
}

/** Clips the polygon of cut i by the cuts whose normals are nearest to its own: on hulls of many
 points they leave little more than the face. */
void ClipByNearest(std::span<const PlaneCut> all, std::size_t i, double tolerance,
                   Clipped* clipped) {
  std::vector<std::pair<double, std::size_t>>& nearest = clipped->nearest;  // ascending
  nearest.assign(kNearest, {-2.0, i});
  const Vec3 n = all[i].n;
  for (std::size_t four = 0; four < clipped->x.size(); ++four) {
    const Four cosines = clipped->x[four] * n.x + clipped->y[four] * n.y + clipped->z[four] * n.z;
    if (!Any(cosines > nearest[0].first)) continue;
    for (std::size_t j = 4 * four; j < std::min(4 * four + 4, all.size()); ++j) {
      const double cosine = cosines[j % 4];
      if (cosine <= nearest[0].first || Parallel(all[j], all[i])) continue;
      std::size_t k = 0;
      for (; k + 1 < kNearest && nearest[k + 1].first < cosine; ++k) nearest[k] = nearest[k + 1];
      nearest[k] = {cosine, j};
    }
  }
  for (auto it = nearest.rbegin(); it != nearest.rend() && it->second != i; ++it) {
    Clip(all[it->second], static_cast<int>(it->second), tolerance, clipped);
  }
}

/** Clips the polygon of cut i by cut j. Returns whether the face is cut i's still: of coincident
 cuts the first one owns it. */
bool ClipByCut(std::span<const PlaneCut> all, std::size_t i, std::size_t j, const Vec3& foot,
               double tolerance, Clipped* clipped) {
  if (j == i) return true;
  if (Parallel(all[j], all[i]) && std::abs(all[j].d - Dot(all[j].n, foot)) <= tolerance) {
    return j > i;
  }
  Clip(all[j], static_cast<int>(j), tolerance, clipped);
  return true;
}

}  // namespace

void Clipped::Take(std::span<const PlaneCut> cuts) {
  const std::size_t count = (cuts.size() + 3) / 4;
  for (std::vector<Four>* values : {&x, &y, &z}) values->assign(count, Four{});
  constexpr double kFar = std::numeric_limits<double>::infinity();
  d.assign(count, Four{kFar, kFar, kFar, kFar});
  for (std::size_t j = 0; j < cuts.size(); ++j) {
    x[j / 4][j % 4] = cuts[j].n.x;
    y[j / 4][j % 4] = cuts[j].n.y;
    z[j / 4][j % 4] = cuts[j].n.z;
    d[j / 4][j % 4] = cuts[j].d;
  }
}

void Clip(const PlaneCut& cut, int index, double tolerance, Clipped* clipped) {
  const LoosePolygon& polygon = clipped->now;
  const std::size_t n = polygon.n;
  const double *const x = polygon.x.get(), *const y = x + polygon.room, *const z = y + polygon.room;
  if (n == 0) return;
  if (clipped->s.size() < n + 4) clipped->s.resize(n + 4);
  double* const s = clipped->s.data();
  const auto [lo, hi] = Levels(cut, x, y, z, n, s);
  if (hi <= tolerance) return;
  if (lo >= -tolerance) {
    clipped->now.n = 0;
    return;
  }
  LoosePolygon& out = clipped->next;
  out.n = 0;
  out.Reserve(2 * n);
  const int* const edge = polygon.edge.get();
  bool inside = s[0] <= tolerance;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t next = k + 1 < n ? k + 1 : 0;
    const bool next_inside = s[next] <= tolerance;
    const Vec3 from{x[k], y[k], z[k]};
    if (inside) out.Add(from, edge[k]);
    if (inside != next_inside) {
      const bool at_vertex = std::abs(inside ? s[k] : s[next]) <= tolerance;
      if (!at_vertex) {
        const double t = s[k] / (s[k] - s[next]);
        const Vec3 to{x[next], y[next], z[next]};
        out.Add(from + t * (to - from), inside ? index : edge[k]);
      } else if (inside) {  // the edge leaves at this very vertex
        out.edge[out.n - 1] = index;
      }
    }
    inside = next_inside;
  }
  if (out.n < 3) out.n = 0;
  out.Pad();
  std::swap(clipped->now, clipped->next);
}

bool ClipFace(std::span<const PlaneCut> all, std::size_t i, const Pass& pass, Clipped* clipped) {
  const PlaneCut& own = all[i];
  const double above = own.d - Dot(own.n, pass.center);
  const double h = 2 * pass.half_width;  // reaches beyond the cube's diagonal
  if (std::abs(above) > h) return false;
  const Mat3 R = FrameAlong(own.n);
  const Vec3 o = pass.center + above * own.n;
  const Vec3 u = h * R.Col(0), v = h * R.Col(1);
  LoosePolygon& polygon = clipped->now;
  polygon.n = 0;
  polygon.Add(o - u - v, -1);
  polygon.Add(o + u - v, -1);
  polygon.Add(o + u + v, -1);
  polygon.Add(o - u + v, -1);
  if (all.size() < kManyCuts) {
    for (std::size_t j = 0; j < all.size() && polygon.n > 0; ++j) {
      if (!ClipByCut(all, i, j, o, pass.tolerance, clipped)) return false;
    }
    return polygon.n >= 3;
  }
  ClipByNearest(all, i, pass.tolerance, clipped);
  if (polygon.n == 0) return false;
  const Ball ball = BallAround(polygon);
  const Vec3 c = ball.center;
  for (std::size_t four = 0; four < clipped->x.size() && polygon.n > 0; ++four) {
    const Four room = clipped->d[four] -
                      (clipped->x[four] * c.x + clipped->y[four] * c.y + clipped->z[four] * c.z);
    if (!Any(room < ball.radius)) continue;
    for (std::size_t j = 4 * four; j < std::min(4 * four + 4, all.size()); ++j) {
      if (room[j % 4] >= ball.radius || polygon.n == 0) continue;
      if (!ClipByCut(all, i, j, o, pass.tolerance, clipped)) return false;
    }
  }
  return polygon.n >= 3;
}

Vec3 Vertex(std::span<const PlaneCut> all, std::size_t i, const LoosePolygon& polygon,
            std::size_t k) {
  const int before = polygon.edge[k > 0 ? k - 1 : polygon.n - 1];
  const int after = polygon.edge[k];
  const Vec3 rough = polygon.At(k);
  if (before < 0 || after < 0) return rough;
  return CommonPoint(all[i], all[static_cast<std::size_t>(before)],
                     all[static_cast<std::size_t>(after)], rough);
}

Clipped* MemoryFor(std::span<const PlaneCut> cuts) {
  thread_local Clipped clipped;
  clipped.now.Reserve(cuts.size() + 4);
  if (cuts.size() >= kManyCuts) clipped.Take(cuts);
  return &clipped;
}

}  // namespace intervox::geometry::internal
