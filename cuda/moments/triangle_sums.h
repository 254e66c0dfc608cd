/** @file Moments of cones over triangles, several at a time. */
#pragma once

#include <cmath>

#include "cuda/moments/moments.h"

namespace intervox::cuda::internal {

/** (T2): sums over the cones from the origin to triangles. N triangles are gathered and then added
 in as many lanes, by one loop that compilers turn into vector instructions. */
template <int N>
class TriangleSums {
 public:
  /** Adds the triangle (u, v, w), counter-clockwise seen from outside, of a face of that weight. */
  INTERVOX_HD void Add(double weight, const Vec3& u, const Vec3& v, const Vec3& w) {
    Set(count_, weight, u, v, w);
    if (++count_ == N) AddLanes();
  }

  /** The moments about the origin. @param area  Σ of the triangles' area vectors in the 1-norm. */
  INTERVOX_HD Moments Finish(double* area) {
    if (count_ > 0) {
      for (int k = count_; k < N; ++k) Set(k, 0.0, {}, {}, {});
      AddLanes();
    }
    Moments out;
    out.v = 1.0 / 6 * Total(0);
    out.m = 1.0 / 24 * TotalVector(1);
    out.second = 1.0 / 120 * Sym3{TotalVector(4), TotalVector(7)};
    out.s = 0.5 * TotalVector(10);
    out.g = 1.0 / 6 * TotalVector(13);
    *area = 0.5 * Total(16);
    return out;
  }

 private:
  INTERVOX_HD void Set(int k, double weight, const Vec3& u, const Vec3& v, const Vec3& w) {
    weight_[k] = weight;
    ux_[k] = u.x, uy_[k] = u.y, uz_[k] = u.z;
    vx_[k] = v.x, vy_[k] = v.y, vz_[k] = v.z;
    wx_[k] = w.x, wy_[k] = w.y, wz_[k] = w.z;
  }
  INTERVOX_HD void AddLanes() {
    count_ = 0;
    for (int k = 0; k < N; ++k) {
      const Vec3 u{ux_[k], uy_[k], uz_[k]}, v{vx_[k], vy_[k], vz_[k]}, w{wx_[k], wy_[k], wz_[k]};
      const Vec3 a = Cross(v - u, w - u);  // twice the area vector
      const Vec3 c = u + v + w;
      const double t = Dot(u, a);  // six times the volume
      sum_[0][k] += t;
      sum_[1][k] += t * c.x;
      sum_[2][k] += t * c.y;
      sum_[3][k] += t * c.z;
      sum_[4][k] += t * (u.x * u.x + v.x * v.x + w.x * w.x + c.x * c.x);
      sum_[5][k] += t * (u.y * u.y + v.y * v.y + w.y * w.y + c.y * c.y);
      sum_[6][k] += t * (u.z * u.z + v.z * v.z + w.z * w.z + c.z * c.z);
      sum_[7][k] += t * (u.x * u.y + v.x * v.y + w.x * w.y + c.x * c.y);
      sum_[8][k] += t * (u.x * u.z + v.x * v.z + w.x * w.z + c.x * c.z);
      sum_[9][k] += t * (u.y * u.z + v.y * v.z + w.y * w.z + c.y * c.z);
      const double weight = weight_[k];
      sum_[10][k] += weight * a.x;
      sum_[11][k] += weight * a.y;
      sum_[12][k] += weight * a.z;
      sum_[13][k] += weight * (c.y * a.z - c.z * a.y);
      sum_[14][k] += weight * (c.z * a.x - c.x * a.z);
      sum_[15][k] += weight * (c.x * a.y - c.y * a.x);
      sum_[16][k] += std::fabs(a.x) + std::fabs(a.y) + std::fabs(a.z);
    }
  }
  INTERVOX_HD double Total(int i) const {
    double total = sum_[i][0];
    for (int k = 1; k < N; ++k) total += sum_[i][k];
    return total;
  }
  INTERVOX_HD Vec3 TotalVector(int i) const { return {Total(i), Total(i + 1), Total(i + 2)}; }

  static constexpr int kSums = 17;
  int count_ = 0;
  double weight_[N];
  double ux_[N], uy_[N], uz_[N], vx_[N], vy_[N], vz_[N], wx_[N], wy_[N], wz_[N];
  double sum_[kSums][N] = {};
};

}  // namespace intervox::cuda::internal
