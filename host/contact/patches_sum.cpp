#include "host/contact/patches_sum.h"

#include <cmath>

#include "geometry/eigen3.h"

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
  const auto [values, vectors] = EigenSymmetric(geometry.J_W);
  int best = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::fabs(Dot(vectors.Col(k), guess)) > std::fabs(Dot(vectors.Col(best), guess))) best = k;
  }
  const double largest = values.z;
  double gap = largest;
  for (int k = 0; k < 3; ++k) {
    if (k != best) gap = std::fmin(gap, std::fabs(values[k] - values[best]));
  }
  if (gap <= rule.j_error * largest) return true;  // n_geo: the gap is within J's own error
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

}  // namespace intervox::host
