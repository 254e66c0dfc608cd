#include "host/contact/patches_sum.h"

#include <cmath>

namespace intervox::host {

void MetricsSum::Add(const InterferenceMetrics& pair) {
  if (pairs == 0) p_WO = pair.p_WC;
  const Vec3 d = pair.p_WC - p_WO;
  const double half_trace = 0.5 * Trace(pair.J_W);
  v += pair.volume;
  m += pair.volume * d;
  e = e + Mat3::Diagonal({half_trace, half_trace, half_trace}) - pair.J_W +
      pair.volume * Outer(d, d);
  s += pair.area_vector;
  g += pair.area_moment + Cross(d, pair.area_vector);
  ++pairs;
}

void MetricsSum::Finish(PatchGeometry* geometry) const {
  const Vec3 c = m / v;
  const Mat3 E = e - v * Outer(c, c);
  const double trace = Trace(E);
  geometry->V = v;
  geometry->p_WC = p_WO + c;
  geometry->J_W = Mat3::Diagonal({trace, trace, trace}) - E;
  geometry->S = s;
  geometry->G = g - Cross(c, s);
}

bool HasDirection(const Vec3& S, double V) {
  return V > 0 && Norm(S) >= kUndefinedNormal * std::cbrt(V * V);
}

bool ChooseNormal(const NormalRule& rule, const PatchGeometry& geometry, const Vec3* n_prev,
                  Vec3* n) {
  if (!HasDirection(geometry.S, geometry.V)) {
    if (n_prev == nullptr) return false;
    *n = *n_prev;
    return true;
  }
  const Vec3 n_geo = Normalized(geometry.S);
  *n = n_geo;
  if (!rule.eigenvector) return true;

  Vec3 guess = n_geo;  // Gonthier (A.27)
  if (n_prev != nullptr) {
    const Vec3 mix = (1 - rule.memory) * n_geo + rule.memory * *n_prev;
    if (Norm(mix) > 1e-6) guess = Normalized(mix);
  }
  Vec3 values;
  Mat3 vectors;
  SymmetricEigen(geometry.J_W, &values, &vectors);
  int best = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::fabs(Dot(vectors.Col(k), guess)) > std::fabs(Dot(vectors.Col(best), guess))) best = k;
  }
  double gap = values.x;
  for (int k = 0; k < 3; ++k) {
    if (k != best) gap = std::fmin(gap, std::fabs(values[k] - values[best]));
  }
  if (gap <= rule.j_error * values.x) return true;  // n_geo: the gap is within J's own error
  const Vec3 q = vectors.Col(best);
  *n = Dot(q, n_geo) < 0 ? -q : q;
  return true;
}

Mat3 SmallestRotation(const Vec3& a, const Vec3& b) {
  const double c = Dot(a, b);
  if (c < -1 + 1e-12) {
    const Vec3 axis = AnyOrthogonal(a);
    return 2.0 * Outer(axis, axis) - Mat3::Identity();
  }
  const Mat3 K = CrossMatrix(Cross(a, b));
  return Mat3::Identity() + K + (1 / (1 + c)) * (K * K);
}

void SymmetricEigen(const Mat3& A, Vec3* values, Mat3* vectors) {
  Mat3 D = A, Q;
  for (int sweep = 0; sweep < 12; ++sweep) {
    const double off = D(0, 1) * D(0, 1) + D(0, 2) * D(0, 2) + D(1, 2) * D(1, 2);
    const double diagonal = D(0, 0) * D(0, 0) + D(1, 1) * D(1, 1) + D(2, 2) * D(2, 2);
    if (off <= 1e-34 * diagonal) break;
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        if (D(p, q) == 0) continue;
        const double t0 = 0.5 * (D(q, q) - D(p, p)) / D(p, q);
        const double t = (t0 < 0 ? -1.0 : 1.0) / (std::fabs(t0) + std::sqrt(1 + t0 * t0));
        const double c = 1 / std::sqrt(1 + t * t);
        Mat3 rotation;
        rotation(p, p) = rotation(q, q) = c;
        rotation(p, q) = t * c;
        rotation(q, p) = -t * c;
        D = Transpose(rotation) * D * rotation;
        Q = Q * rotation;
      }
    }
  }
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2 - i; ++j) {
      if (D(order[j], order[j]) < D(order[j + 1], order[j + 1])) {
        const int swap = order[j];
        order[j] = order[j + 1];
        order[j + 1] = swap;
      }
    }
  }
  *values = {D(order[0], order[0]), D(order[1], order[1]), D(order[2], order[2])};
  *vectors = Mat3::FromColumns(Q.Col(order[0]), Q.Col(order[1]), Q.Col(order[2]));
}

}  // namespace intervox::host
