#include "host/contact/patches/metrics_sum.h"

#include <cmath>
#include <limits>

#include "geometry/eigen3.h"

namespace intervox::host {
namespace {

/** The sum of one overlap about its own centroid. */
MetricsSum One(const Vec3& p_WC, double V, const Mat3& J_W, const Vec3& S, const Vec3& G) {
  const double half_trace = 0.5 * Trace(J_W);
  const Mat3 E = Mat3::Diagonal({half_trace, half_trace, half_trace}) - J_W;
  return {p_WC, V, {}, E, S, G, 1, Norm(S)};
}

}  // namespace

void MetricsSum::Add(const MetricsSum& other) {
  if (other.pairs == 0 && !(other.wall_v > 0)) return;
  const bool is_first = pairs == 0;  // as of most contacts: there is nothing to shift
  if (is_first) p_WO = other.p_WO;
  const Vec3 d = other.p_WO - p_WO;
  v += other.v;
  m += is_first ? other.m : other.m + other.v * d;
  e = e + other.e;
  if (!is_first) e = e + Outer(d, other.m) + Outer(other.m, d) + other.v * Outer(d, d);
  s += other.s;
  g += is_first ? other.g : other.g + Cross(d, other.s);
  pairs += other.pairs;
  size += other.size;
  if (!(other.wall_v > 0)) return;
  turned += other.turned;
  wall_v += other.wall_v;
  wall_m += other.wall_m + other.wall_v * d;
  wall_n += other.wall_n;
  wall_t += other.wall_t + Cross(d, other.wall_n);
}

void MetricsSum::AddWall(const InterferenceMetrics& pair, const WallMean& mean) {
  const double turn = Norm(mean.normal);
  if (!(turn > 0)) return;
  MetricsSum wall;
  wall.p_WO = pair.p_WC;
  wall.turned = (Norm(pair.area_vector) / turn) * mean.normal - pair.area_vector;
  wall.wall_v = pair.volume;
  wall.wall_n = pair.volume * mean.normal;
  wall.wall_t = pair.volume * mean.moment;
  Add(wall);
}

void MetricsSum::Add(const InterferenceMetrics& pair) {
  Add(One(pair.p_WC, pair.volume, pair.J_W, pair.area_vector, pair.area_moment));
}

void MetricsSum::Add(const PatchGeometry& patch) {
  Add(One(patch.p_WC, patch.V, patch.J_W, patch.S, patch.G));
}

Mat3 MetricsSum::SecondMoment() const { return e - (1 / v) * Outer(m, m); }

void MetricsSum::Finish(PatchGeometry* geometry) const {
  const Vec3 c = m / v;
  const Mat3 E = SecondMoment();
  const double trace = Trace(E);
  geometry->V = v;
  geometry->p_WC = p_WO + c;
  geometry->J_W = Mat3::Diagonal({trace, trace, trace}) - E;
  geometry->S = s;
  geometry->S_wall = turned;
  geometry->turn = 1.0;
  geometry->twist = {};
  if (wall_v > 0) {
    geometry->turn -= (wall_v - Norm(wall_n)) / v;
    geometry->twist = (1.0 / v) * (wall_t - Cross(wall_m / wall_v, wall_n));
  }
  geometry->G = g - Cross(c, s);
}

double ConvexGap(const MetricsSum& a, const MetricsSum& b) {
  constexpr double kLeastShare = 0.25;
  constexpr double kApart = std::numeric_limits<double>::infinity();
  MetricsSum both = a;
  both.Add(b);
  if (!(Norm(both.s) >= kLeastShare * both.size)) return kApart;
  if (!(4 * Dot(both.s, both.SecondMoment() * both.s) <= 3 * both.v * both.v * both.v))
    return kApart;
  const Vec3 D = b.p_WO + b.m / b.v - (a.p_WO + a.m / a.v);
  const auto spread = [&D](const MetricsSum& part) {
    return std::sqrt(std::fmax(0.0, Dot(D, part.SecondMoment() * D) / part.v));
  };
  const double reach = std::sqrt(15.0) * (spread(a) + spread(b));
  return SquaredNorm(D) > 0 ? SquaredNorm(D) / reach : 0.0;
}

bool MayBeOneConvexOverlap(const MetricsSum& a, const MetricsSum& b) {
  return ConvexGap(a, b) <= 1.0;
}

bool HasDirection(const Vec3& S, double V) {
  // |S|³ against V²: without a cube root.
  constexpr double kCube = kUndefinedNormal * kUndefinedNormal * kUndefinedNormal;
  const double square = SquaredNorm(S);
  return V > 0 && square * std::sqrt(square) >= kCube * V * V;
}

bool ChooseNormal(const NormalRule& rule, const PatchGeometry& geometry, const Vec3* n_prev,
                  Vec3* n) {
  if (!HasDirection(geometry.S, geometry.V)) {
    if (n_prev == nullptr) return false;
    *n = *n_prev;
    return true;
  }
  const Vec3 n_geo = Normalized(geometry.S + geometry.S_wall);
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
  if (a == b) return Mat3::Identity();
  const double c = Dot(a, b);
  if (c < -1 + 1e-12) {
    const Vec3 axis = AnyOrthogonal(a);
    return 2.0 * Outer(axis, axis) - Mat3::Identity();
  }
  const Mat3 K = CrossMatrix(Cross(a, b));
  return Mat3::Identity() + K + (1 / (1 + c)) * (K * K);
}

}  // namespace intervox::host
