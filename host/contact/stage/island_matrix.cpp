#include "host/contact/stage/island_matrix.h"

#include <algorithm>
#include <cmath>

namespace intervox::host::internal {
namespace {

// Four doubles of a row, wherever they begin.
using Pack [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

Pack& At(double* p) { return *reinterpret_cast<Pack*>(p); }

void WriteTo(const Vec3& v, double* at) {
  at[0] = v.x;
  at[1] = v.y;
  at[2] = v.z;
}

}  // namespace

void IslandMatrix::Reset(std::size_t bodies) {
  n_ = 6 * bodies;
  stride_ = (n_ + 2 + 3) / 4 * 4;  // a block's row of eight must fit behind the last six columns
  if (values_.size() < n_ * stride_) values_.resize(n_ * stride_);
  std::fill_n(values_.begin(), n_ * stride_, 0.0);
}

void IslandMatrix::AddBody(std::size_t body, double mass, const Mat3& inertia) {
  const std::size_t first = 6 * body;
  for (std::size_t i = 0; i < 3; ++i) {
    Row(first + i)[first + i] += mass;
    const Vec3& row = inertia.Row(static_cast<int>(i));
    double* out = Row(first + 3 + i) + first + 3;
    out[0] += row.x;
    out[1] += row.y;
    out[2] += row.z;
  }
}

void IslandMatrix::AddDrag(std::size_t body, const DragInertia& drag) {
  const std::size_t first = 6 * body;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const int r = static_cast<int>(i), c = static_cast<int>(j);
      Row(first + i)[first + j] += drag.K_vv(r, c);
      Row(first + i)[first + 3 + j] += drag.K_vw(r, c);
      Row(first + 3 + j)[first + i] += drag.K_vw(r, c);
      Row(first + 3 + i)[first + 3 + j] += drag.K_ww(r, c);
    }
  }
}

void IslandMatrix::AddContact(const StagePoint& point, bool coupled) {
  double C[4][4];
  point.Slope(C);
  if (!coupled) C[1][0] = C[2][0] = C[3][0] = 0.0;
  const int rows[2] = {point.row_i, point.row_j};
  // Rows of J, the local velocities' dependence on a body's (v, ω), padded to eight.
  alignas(32) double g[2][4][8];
  // The lever on the turn: what turning adds to v_n in the change of V.
  alignas(32) double turn[2][8] = {};
  for (int side = 0; side < 2; ++side) {
    if (rows[side] < 0) continue;
    const double sign = side == 0 ? 1.0 : -1.0;
    const Vec3* arm = side == 0 ? point.arm_i : point.arm_j;
    WriteTo(sign * point.lever, turn[side] + 3);
    for (int k = 0; k < 4; ++k) {
      const Vec3 linear = k < 3 ? sign * point.axis[k] : Vec3{};
      const Vec3 angular = k < 3 ? sign * arm[k] : sign * point.axis[0];
      double* out = g[side][k];
      out[0] = linear.x;
      out[1] = linear.y;
      out[2] = linear.z;
      out[3] = angular.x;
      out[4] = angular.y;
      out[5] = angular.z;
      out[6] = out[7] = 0.0;
    }
  }
  const double H = point.H;
  for (int q = 0; q < 2; ++q) {
    if (rows[q] < 0) continue;
    Pack T[5][2];  // H C J, then the moment that goes with the force at the lever
    for (int half = 0; half < 2; ++half) {
      const Pack g0 = At(g[q][0] + 4 * half), g1 = At(g[q][1] + 4 * half);
      const Pack g2 = At(g[q][2] + 4 * half), g3 = At(g[q][3] + 4 * half);
      const Pack by_turn = At(turn[q] + 4 * half);
      const Pack by_force = C[0][0] * g0 + point.TurnSlope() * by_turn;  // −∂f_n
      T[0][half] = H * by_force;
      for (int k = 1; k < 4; ++k) {
        const double per_force = C[0][0] > 0.0 ? C[k][0] / C[0][0] : 0.0;
        T[k][half] = H * (per_force * by_force + C[k][1] * g1 + C[k][2] * g2 + C[k][3] * g3);
      }
      T[4][half] = (H * point.LeverSlope()) * (g0 + by_turn);
    }
    for (int p = 0; p < 2; ++p) {
      if (rows[p] < 0) continue;
      const auto first = static_cast<std::size_t>(rows[p]);
      const auto column = static_cast<std::size_t>(rows[q]);
      for (std::size_t i = 0; i < 6; ++i) {
        double* out = Row(first + i) + column;
        for (int half = 0; half < 2; ++half) {
          At(out + 4 * half) += g[p][0][i] * T[0][half] + g[p][1][i] * T[1][half] +
                                g[p][2][i] * T[2][half] + g[p][3][i] * T[3][half] +
                                turn[p][i] * T[4][half];
        }
      }
      const double scale = (p == q ? 1.0 : -1.0) * H * point.ramp;
      const double tilt = point.f_n > 0.0 ? (p == q ? 1.0 : -1.0) * H * H * point.tilt_ramp : 0.0;
      for (std::size_t i = 0; i < 3; ++i) {
        double* out = Row(first + 3 + i) + column + 3;
        const int k = static_cast<int>(i);
        const Vec3 row = scale * point.rolling.Row(k) + tilt * point.K.Row(k);
        out[0] += row.x;
        out[1] += row.y;
        out[2] += row.z;
      }
    }
  }
}

void IslandMatrix::Lock(std::size_t first) {
  for (std::size_t i = first; i < first + 3; ++i) {
    for (std::size_t j = 0; j < n_; ++j) Row(i)[j] = Row(j)[i] = 0.0;
    Row(i)[i] = 1.0;
  }
}

bool IslandMatrix::SolveNegative(std::span<const double> f, std::span<double> x) {
  for (std::size_t i = 0; i < n_; ++i) Row(i)[n_] = -f[i];
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n_; ++i) {
      if (std::fabs(Row(i)[k]) > std::fabs(Row(pivot)[k])) pivot = i;
    }
    if (pivot != k) std::swap_ranges(Row(k), Row(k) + stride_, Row(pivot));
    const double* from = Row(k);
    if (!(std::fabs(from[k]) > 0.0)) return false;
    const double inverse = 1.0 / from[k];
    for (std::size_t i = k + 1; i < n_; ++i) {
      double* to = Row(i);
      const double m = to[k] * inverse;
      if (m == 0.0) continue;
      for (std::size_t j = k / 4 * 4; j < stride_; j += 4) {
        At(to + j) -= m * At(const_cast<double*>(from) + j);
      }
    }
  }
  for (std::size_t k = n_; k-- > 0;) {
    const double* row = Row(k);
    double sum = row[n_];
    for (std::size_t j = k + 1; j < n_; ++j) sum -= row[j] * x[j];
    x[k] = sum / row[k];
  }
  return true;
}

}  // namespace intervox::host::internal
