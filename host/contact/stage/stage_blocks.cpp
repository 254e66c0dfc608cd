#include "host/contact/stage/stage_blocks.h"

namespace intervox::host::internal {
namespace {

void WriteTo(const Vec3& v, double* at) {
  at[0] = v.x;
  at[1] = v.y;
  at[2] = v.z;
}

}  // namespace

void AddInertia(double mass, const Mat3& inertia, double* block, std::size_t stride) {
  for (std::size_t i = 0; i < 3; ++i) {
    block[i * stride + i] += mass;
    const Vec3& row = inertia.Row(static_cast<int>(i));
    double* out = block + (3 + i) * stride + 3;
    out[0] += row.x;
    out[1] += row.y;
    out[2] += row.z;
  }
}

void AddDrag(const DragInertia& drag, double* block, std::size_t stride) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const int r = static_cast<int>(i), c = static_cast<int>(j);
      block[i * stride + j] += drag.K_vv(r, c);
      block[i * stride + 3 + j] += drag.K_vw(r, c);
      block[(3 + j) * stride + i] += drag.K_vw(r, c);
      block[(3 + i) * stride + 3 + j] += drag.K_ww(r, c);
    }
  }
}

void AddContactBlocks(const StagePoint& point, bool coupled, double* const at[2][2],
                      std::size_t stride) {
  double C[4][4];
  point.Slope(C);
  if (!coupled) C[1][0] = C[2][0] = C[3][0] = 0.0;
  const int rows[2] = {point.row_i, point.row_j};
  // Rows of J, the local velocities' dependence on a body's (v, ω), padded to eight.
  alignas(32) double g[2][4][8];
  // The lever on the turn: what turning adds to v_n in the change of V.
  alignas(32) double turn[2][8] = {};
  // Points neither spin nor turn.
  const bool spins = point.r_gyr > 0.0, turns = !point.contact->geometry.is_point;
  for (int side = 0; side < 2; ++side) {
    if (rows[side] < 0) continue;
    const double sign = side == 0 ? 1.0 : -1.0;
    const Vec3* arm = side == 0 ? point.arm_i : point.arm_j;
    WriteTo(sign * point.lever, turn[side] + 3);
    for (int k = 0; k < 4; ++k) {
      const Vec3 linear = k < 3 ? sign * point.axis[k] : Vec3{};
      const Vec3 angular = sign * (k < 3 ? arm[k] : point.contact->geometry.n);
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
      const Pack g0 = PackAt(g[q][0] + 4 * half), g1 = PackAt(g[q][1] + 4 * half);
      const Pack g2 = PackAt(g[q][2] + 4 * half), g3 = PackAt(g[q][3] + 4 * half);
      const Pack by_turn = PackAt(turn[q] + 4 * half);
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
      for (std::size_t i = 0; i < 6; ++i) {
        double* out = at[p][q] + i * stride;
        for (int half = 0; half < 2; ++half) {
          Pack sum = g[p][0][i] * T[0][half] + g[p][1][i] * T[1][half] + g[p][2][i] * T[2][half];
          if (spins) sum += g[p][3][i] * T[3][half];
          if (turns) sum += turn[p][i] * T[4][half];
          PackAt(out + 4 * half) += sum;
        }
      }
      if (!turns) continue;
      const double scale = (p == q ? 1.0 : -1.0) * H * point.ramp;
      const double tilt = point.f_n > 0.0 ? (p == q ? 1.0 : -1.0) * H * H * point.tilt_ramp : 0.0;
      for (std::size_t i = 0; i < 3; ++i) {
        double* out = at[p][q] + (i + 3) * stride + 3;
        const int k = static_cast<int>(i);
        const Vec3 row = scale * point.rolling.Row(k) + tilt * point.K.Row(k);
        out[0] += row.x;
        out[1] += row.y;
        out[2] += row.z;
      }
    }
  }
}

}  // namespace intervox::host::internal
