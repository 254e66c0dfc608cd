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

ContactSlope SlopeOf(const StagePoint& point, bool coupled, bool follow) {
  ContactSlope out;
  double C[4][4];
  point.Slope(follow, C);
  const double H = point.H;
  for (int k = 0; k < 3; ++k) out.axis[k] = point.axis[k];
  out.n = point.Normal();
  out.rho[0] = point.rho_i;
  out.rho[1] = point.rho_j;
  out.twist = point.twist;
  out.pressed = point.pressed;
  out.lever = point.lever;
  out.by_depth = H * C[0][0];
  out.by_turn = H * point.TurnSlope();
  out.at_lever = H * point.LeverSlope();
  for (int k = 0; k < 3; ++k) {
    if (coupled && C[0][0] > 0.0) out.per_force[k] = C[k + 1][0] / C[0][0];
    for (int l = 0; l < 3; ++l) out.C[k][l] = H * C[k + 1][l + 1];
  }
  const double roll = H * point.ramp, tilt = point.f_n > 0.0 ? H * H * point.tilt_ramp : 0.0;
  const double m_11 = roll * point.rolling.m_11 + tilt * point.K.m_11;
  const double m_12 = roll * point.rolling.m_12 + tilt * point.K.m_12;
  const double m_22 = roll * point.rolling.m_22 + tilt * point.K.m_22;
  const Vec3 &a = point.axis[1], &b = point.axis[2];
  const auto turn = [&](int i, int j) {
    return m_11 * a[i] * a[j] + m_12 * (a[i] * b[j] + b[i] * a[j]) + m_22 * b[i] * b[j];
  };
  for (int i = 0; i < 3; ++i) out.turn[i] = turn(i, i);
  out.turn[3] = turn(0, 1);
  out.turn[4] = turn(0, 2);
  out.turn[5] = turn(1, 2);
  return out;
}

CentroidWrench Multiply(const ContactSlope& s, const Vec3& dv, const Vec3& dw) {
  const double v_n = Dot(s.axis[0], dv) + Dot(s.twist, dw), by_lever = Dot(s.lever, dw);
  const Vec3 dv_t = dv + Cross(dw, s.pressed);
  const double v_1 = Dot(s.axis[1], dv_t), v_2 = Dot(s.axis[2], dv_t), spin = Dot(s.n, dw);
  const double f_n = s.by_depth * v_n + s.by_turn * by_lever;
  double f[3];
  for (int k = 0; k < 3; ++k) {
    f[k] = s.per_force[k] * f_n + s.C[k][0] * v_1 + s.C[k][1] * v_2 + s.C[k][2] * spin;
  }
  const double* t = s.turn;
  const Vec3 turn{t[0] * dw.x + t[3] * dw.y + t[4] * dw.z, t[3] * dw.x + t[1] * dw.y + t[5] * dw.z,
                  t[4] * dw.x + t[5] * dw.y + t[2] * dw.z};
  const Vec3 f_t = f[0] * s.axis[1] + f[1] * s.axis[2];
  return {f_n * s.axis[0] + f_t, f_n * s.twist + f[2] * s.n + Cross(s.pressed, f_t) +
                                     (s.at_lever * (v_n + by_lever)) * s.lever + turn};
}

namespace {

/** Five rows of eight: what the local velocities (v_n, v_t1, v_t2, ω_n, lever·ω) make of a body's
 (v, ω), or of these the local wrench. */
struct Rows {
  alignas(32) double at[5][8];
};

Rows LocalVelocities(const ContactSlope& s, int side) {
  const double sign = side == 0 ? 1.0 : -1.0;
  Rows out;
  const auto set = [&](int k, const Vec3& linear, const Vec3& angular) {
    WriteTo(sign * linear, out.at[k]);
    WriteTo(sign * angular, out.at[k] + 3);
    out.at[k][6] = out.at[k][7] = 0.0;
  };
  set(0, s.axis[0], Cross(s.rho[side], s.axis[0]) + s.twist);
  for (int k = 1; k < 3; ++k) set(k, s.axis[k], Cross(s.rho[side] + s.pressed, s.axis[k]));
  set(3, {}, s.n);
  set(4, {}, s.lever);
  return out;
}

Rows LocalWrench(const ContactSlope& s, const Rows& J) {
  Rows out;
  for (int half = 0; half < 8; half += 4) {
    const auto of = [&](int k) { return PackAt(J.at[k] + half); };
    const Pack g1 = of(1), g2 = of(2), g3 = of(3);
    const Pack f_n = s.by_depth * of(0) + s.by_turn * of(4);
    PackAt(out.at[0] + half) = f_n;
    for (int k = 0; k < 3; ++k) {
      PackAt(out.at[k + 1] + half) =
          s.per_force[k] * f_n + s.C[k][0] * g1 + s.C[k][1] * g2 + s.C[k][2] * g3;
    }
    PackAt(out.at[4] + half) = s.at_lever * (of(0) + of(4));
  }
  return out;
}

/** Adds Σ a_k b_kᵀ, and the moments that go with ω. */
void AddBlock(const Rows& a, const Rows& b, const double* turn, double sign, double* out,
              std::size_t stride) {
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t half = 0; half < 8; half += 4) {
      Pack sum = a.at[0][i] * PackAt(b.at[0] + half);
      for (std::size_t k = 1; k < 5; ++k) sum += a.at[k][i] * PackAt(b.at[k] + half);
      PackAt(out + i * stride + half) += sum;
    }
  }
  constexpr int kPlace[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      out[(i + 3) * stride + 3 + j] += sign * turn[kPlace[i][j]];
    }
  }
}

}  // namespace

void AddContactBlocks(const ContactSlope& slope, double* const at[2][2], std::size_t stride) {
  for (int q = 0; q < 2; ++q) {
    if (slope.at[q] < 0) continue;
    const Rows J_q = LocalVelocities(slope, q), T = LocalWrench(slope, J_q);
    for (int p = 0; p < 2; ++p) {
      if (slope.at[p] < 0) continue;
      const Rows J_p = p == q ? J_q : LocalVelocities(slope, p);
      AddBlock(J_p, T, slope.turn, p == q ? 1.0 : -1.0, at[p][q], stride);
    }
  }
}

namespace {

/** The rows of A J, J = (1, −ρ×), as two packs each. */
struct PointRows {
  Pack low[3], high[3];
};

PointRows RowsOf(const Mat3& A, const Vec3& rho) {
  const Vec3 &a = A.row0, &b = A.row1, &c = A.row2;
  const Vec3 x = Cross(rho, a), y = Cross(rho, b), z = Cross(rho, c);
  return {{Pack{a.x, a.y, a.z, x.x}, Pack{b.x, b.y, b.z, y.x}, Pack{c.x, c.y, c.z, z.x}},
          {Pack{x.y, x.z, 0.0, 0.0}, Pack{y.y, y.z, 0.0, 0.0}, Pack{z.y, z.z, 0.0, 0.0}}};
}

/** Adds Jᵀ times the rows, with J of this ρ: the rows, and ρ × of them. */
void AddRows(const PointRows& rows, const Vec3& rho, double* out, std::size_t stride) {
  const Pack &a = rows.low[0], &b = rows.low[1], &c = rows.low[2];
  const Pack &d = rows.high[0], &e = rows.high[1], &f = rows.high[2];
  PackAt(out) += a;
  PackAt(out + 4) += d;
  PackAt(out + stride) += b;
  PackAt(out + stride + 4) += e;
  PackAt(out + 2 * stride) += c;
  PackAt(out + 2 * stride + 4) += f;
  PackAt(out + 3 * stride) += rho.y * c - rho.z * b;
  PackAt(out + 3 * stride + 4) += rho.y * f - rho.z * e;
  PackAt(out + 4 * stride) += rho.z * a - rho.x * c;
  PackAt(out + 4 * stride + 4) += rho.z * d - rho.x * f;
  PackAt(out + 5 * stride) += rho.x * b - rho.y * a;
  PackAt(out + 5 * stride + 4) += rho.x * e - rho.y * d;
}

}  // namespace

void AddPointBlock(const Mat3& A, const Vec3& rho, double* out, std::size_t stride) {
  AddRows(RowsOf(A, rho), rho, out, stride);
}

void AddPointBlocks(const Mat3& A, const Vec3 rho[2], double* const at[2][2], std::size_t stride) {
  for (int q = 0; q < 2; ++q) {
    if (at[q][q] != nullptr) AddPointBlock(A, rho[q], at[q][q], stride);
    if (at[1 - q][q] == nullptr) continue;
    AddRows(RowsOf((-1.0) * A, rho[q]), rho[1 - q], at[1 - q][q], stride);
  }
}

void AddSideBlocks(const ContactSlope& slope, int side, double* own, double* other,
                   std::size_t stride) {
  const Rows J = LocalVelocities(slope, side);
  AddBlock(LocalWrench(slope, J), J, slope.turn, 1.0, own, stride);
  if (other == nullptr) return;
  AddBlock(LocalWrench(slope, LocalVelocities(slope, 1 - side)), J, slope.turn, -1.0, other,
           stride);
}

}  // namespace intervox::host::internal
