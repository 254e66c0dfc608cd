#include "geometry/primitives/quadric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "geometry/eigen3.h"
#include "geometry/enclose.h"
#include "geometry/make_surface.h"

namespace intervox::geometry {
namespace {

/** Relative size below which an eigenvalue or a difference of two counts as zero. */
constexpr double kZero = 1e-12;

/** q = Σ e y² + 2 Σ l y + c about o, eigenvalues sorted: positive ones first. */
struct Principal {
  Mat3 R;
  Vec3 o, e, l;
  double c = 0;
  int positive = 0;
  int negative = 0;
};

Principal ToPrincipalAxes(const std::array<double, 10>& q) {
  const Mat3 A{{q[0], 0.5 * q[3], 0.5 * q[4]},
               {0.5 * q[3], q[1], 0.5 * q[5]},
               {0.5 * q[4], 0.5 * q[5], q[2]}};
  const Vec3 b{0.5 * q[6], 0.5 * q[7], 0.5 * q[8]};
  const SymmetricEigen eigen = EigenSymmetric(A);  // ascending
  Principal P;
  P.R = Mat3::FromColumns(eigen.vectors.Col(2), eigen.vectors.Col(1), eigen.vectors.Col(0));
  P.e = {eigen.values.z, eigen.values.y, eigen.values.x};
  if (Determinant(P.R) < 0) P.R = Mat3::FromColumns(P.R.Col(0), P.R.Col(1), -P.R.Col(2));
  const double largest = std::max(std::abs(P.e.x), std::abs(P.e.z));
  P.l = TransposeTimes(P.R, b);
  P.c = q[9];
  const double linear = std::max({std::abs(P.l.x), std::abs(P.l.y), std::abs(P.l.z)});
  Vec3 y;  // the centre
  for (int k = 0; k < 3; ++k) {
    if (std::abs(P.e[k]) <= kZero * largest) P.e[k] = 0;
    if (P.e[k] != 0) {
      y[k] = -P.l[k] / P.e[k];
      P.c += P.l[k] * y[k];
      P.l[k] = 0;
    } else if (std::abs(P.l[k]) <= kZero * linear) {
      P.l[k] = 0;
    }
    (P.e[k] > 0 ? P.positive : P.negative) += P.e[k] != 0;
  }
  // Where a linear term is left, the constant is a shift along it.
  const double square = SquaredNorm(P.l);
  if (square > 0) {
    y += (-0.5 * P.c / square) * P.l;
    P.c = 0;
  }
  // A constant that is rounding of its parts is zero.
  const double parts = std::abs(q[9]) + linear * Norm(y) + largest * SquaredNorm(y);
  if (std::abs(P.c) <= 1e-14 * parts) P.c = 0;
  P.o = P.R * y;
  return P;
}

bool Same(double a, double b) { return std::abs(a - b) <= kZero * std::max(a, b); }

/** The general quadric, scaled so that |∇f| ≈ 1 at a vertex of the surface (at 1 m from the apex of
 a cone). */
Surface General(const Principal& P) {
  const double largest = std::max({std::abs(P.e.x), std::abs(P.e.y), std::abs(P.e.z)});
  double slope = 2 * Norm(P.l);
  for (int k = 0; k < 3 && slope == 0; ++k) {
    if (P.e[k] * P.c < 0) slope = 2 * std::sqrt(-P.c * P.e[k]);
  }
  if (slope == 0) slope = 2 * largest;
  Surface S;
  S.kind = SurfaceKind::kQuadric;
  S.R = P.R;
  S.o = P.o;
  S.e = P.e / slope;
  S.l = P.l / slope;
  S.c = P.c / slope;
  return S;
}

/** Ellipsoid or circular cylinder of the semi-axes √(−c/e); sign −1 keeps the outside. */
Surface Round(const Principal& P, int sign) {
  const auto radius = [&P](int k) { return std::sqrt(-P.c / P.e[k]); };
  // The axis of a cylinder is the eigenvector of the eigenvalue 0, column 2 or, with negative
  // eigenvalues, column 0.
  if (P.positive + P.negative == 2) {
    const Mat3 R = sign > 0 ? P.R : Mat3::FromColumns(P.R.Col(1), P.R.Col(2), P.R.Col(0));
    const Surface S = MakeCylinder(radius(1), {R, P.o});
    return sign > 0 ? S : Complement(S);
  }
  const Surface S = MakeEllipsoid({radius(0), radius(1), radius(2)}, {P.R, P.o});
  return sign > 0 ? S : Complement(S);
}

/** One squared term, no linear one: |y| ≤ h or |y| ≥ h. */
Pieces Parallel(const Principal& P) {
  const int k = P.positive == 1 ? 0 : 2;
  const double h = std::sqrt(-P.c / P.e[k]);
  const Vec3 n = P.R.Col(k);
  const double o = Dot(n, P.o);
  if (P.positive == 1) return {{MakePlane(-n, h - o), MakePlane(n, h + o)}};
  return {{MakePlane(n, o - h)}, {MakePlane(-n, -o - h)}};
}

}  // namespace

namespace {

/** The pieces before their sizes are judged. */
Pieces Classify(const Quadric& primitive, const std::string& place) {
  double largest = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    const double q = primitive.coefficients[i];
    if (!std::isfinite(q)) {
      Refuse(place, "coefficients[" + std::to_string(i) + "]", q, "Give finite numbers.");
    }
    largest = std::max(largest, std::abs(q));
  }
  std::array<double, 10> q{};
  for (std::size_t i = 0; i < 10 && largest > 0; ++i) q[i] = primitive.coefficients[i] / largest;
  const Principal P = ToPrincipalAxes(q);
  const bool linear = SquaredNorm(P.l) > 0;
  const int rank = P.positive + P.negative;
  if (!linear && P.negative == 0 && (P.c > 0 || (P.c == 0 && rank > 0))) {
    throw std::invalid_argument(place +
                                ": the quadric q <= 0 has no interior. Check the signs of the "
                                "coefficients; the solid is where q is negative.");
  }
  if (!linear && P.positive == 0 && P.c <= 0) {
    throw std::invalid_argument(place +
                                ": the quadric q <= 0 fills all of space. Check the signs of the "
                                "coefficients; the solid is where q is negative.");
  }
  if (rank == 0) {  // a half-space
    const double n = Norm(P.l);
    return {{MakePlane((P.R * P.l) / n, P.o)}};
  }
  if (linear) return {{General(P)}};
  if (rank == 1) return Parallel(P);
  if (P.positive == 3) return {{Round(P, 1)}};
  if (P.negative == 3) return {{Round(P, -1)}};
  if (rank == 2 && P.positive == 2 && Same(P.e.x, P.e.y)) return {{Round(P, 1)}};
  if (rank == 2 && P.negative == 2 && Same(-P.e.y, -P.e.z)) return {{Round(P, -1)}};
  if (P.positive == 2 && P.negative == 1 && P.c == 0 && Same(P.e.x, P.e.y)) {
    const double slope = std::sqrt(-P.e.z / P.e.x);
    const Mat3 turned = Mat3::FromColumns(P.R.Col(1), P.R.Col(0), -P.R.Col(2));
    return {{MakeCone(slope, 1.0, {P.R, P.o})}, {MakeCone(slope, 1.0, {turned, P.o})}};
  }
  return {{General(P)}};
}

}  // namespace

Pieces ToPieces(const Quadric& primitive, const std::string& place) {
  Pieces pieces = Classify(primitive, place);
  for (const SurfaceList& piece : pieces) {
    const double scale = LengthScale(piece);
    if (scale >= kSmallestLength && scale <= kLargestLength) continue;
    Refuse(place, "the size of the quadric in metres", scale,
           "Scale the coefficients so that it lies between 1e-12 and 1e12.");
  }
  return pieces;
}

}  // namespace intervox::geometry
