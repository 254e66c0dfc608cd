#include "cuda/patch/patch_quadrature.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cuda/patch/profile.h"

namespace intervox {
namespace {

using cuda::internal::Column;
using cuda::internal::Columns;
using cuda::internal::kDepths;
using cuda::internal::Profile;
using cuda::internal::Run;
using cuda::internal::Vec2;

constexpr double kPi = 3.14159265358979323846;
/** No point of a convex body is farther from its centroid than √15 standard deviations; 1 % is for
 the moments' own error. */
constexpr double kReach = 1.01 * 3.87298334620741688518;
/** The ellipse of inertia is taken to be no narrower than this share of its length. */
constexpr double kNarrowest = 1e-5;
/** Rims this near to a chord, as a share of it, are straight. */
constexpr double kStraight = 1e-6;
/** Corners that a rim may have; beyond, it is taken as round. */
constexpr std::size_t kMostCorners = 16;

/** Coefficients of the cubics that are 1 at one of Gauss' four points and 0 at the others. */
struct Cubics {
  double c[kDepths][kDepths];
};

Cubics MakeCubics() {
  constexpr double kX[kDepths] = {0.06943184420297371239, 0.33000947820757186760,
                                  0.66999052179242813240, 0.93056815579702628761};
  Cubics cubics{};
  for (int g = 0; g < kDepths; ++g) {
    double c[kDepths] = {1, 0, 0, 0}, scale = 1;
    for (int o = 0; o < kDepths; ++o) {
      if (o == g) continue;
      for (int k = kDepths - 1; k > 0; --k) c[k] = c[k - 1] - kX[o] * c[k];
      c[0] *= -kX[o];
      scale *= kX[g] - kX[o];
    }
    for (int k = 0; k < kDepths; ++k) cubics.c[g][k] = c[k] / scale;
  }
  return cubics;
}

/** A symmetric 2×2 matrix that maps the unit circle to the patch's ellipse of inertia. */
struct Stretching {
  double xx = 0, xy = 0, yy = 0;
  double longest = 0;  ///< σ along its longest axis [m]

  Vec2 operator*(const Vec2& a) const { return {xx * a.x + xy * a.y, xy * a.x + yy * a.y}; }
  double Determinant() const { return xx * yy - xy * xy; }
};

/** √M of the patch's second moments over V, without an eigenvector, which a round patch lacks. */
Stretching RootOfMoments(const PatchMoments& moments, const Vec3& t1, const Vec3& t2) {
  const double V = moments.volume;
  double xx = Dot(t1, moments.E_W * t1) / V, yy = Dot(t2, moments.E_W * t2) / V;
  const double xy = Dot(t1, moments.E_W * t2) / V;
  const double least = kNarrowest * kNarrowest * std::fabs(xx + yy);
  const double mean = 0.5 * (xx + yy);
  const double apart = std::sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
  if (mean - apart < least) {
    xx += least - (mean - apart);
    yy += least - (mean - apart);
  }
  const double root = std::sqrt(xx * yy - xy * xy), scale = 1 / std::sqrt(xx + yy + 2 * root);
  return {scale * (xx + root), scale * xy, scale * (yy + root), std::sqrt(mean + apart)};
}

/** Axis t₁: that of the first cell's frame which lies flattest, so that points turn with it. */
Vec3 FirstAxis(const Mat3& R, const Vec3& n) {
  Vec3 flattest = R.Col(0);
  for (int k = 1; k < 3; ++k) {
    if (std::fabs(Dot(R.Col(k), n)) < std::fabs(Dot(flattest, n))) flattest = R.Col(k);
  }
  return Normalized(flattest - Dot(flattest, n) * n);
}

/** Working memory of a division, used again. */
struct Workspace {
  Columns columns;
  std::vector<Vec2> uniform, borders;
  std::vector<Profile> profiles;
};

/** Divides a patch into its pieces. Directions are given in coordinates in which the ellipse of
 inertia is the unit circle. */
class Division {
 public:
  Division(const Stretching& L, const PatchFineness& fineness, Workspace* workspace)
      : columns_(workspace->columns),
        L_(L),
        fineness_(fineness),
        center_(columns_.At(0, 0)),
        uniform_(workspace->uniform),
        borders_(workspace->borders),
        profiles_(workspace->profiles) {}

  void Make(PatchQuadrature* out) {
    const auto n = static_cast<std::size_t>(fineness_.sectors);
    uniform_.resize(n);
    for (std::size_t k = 0; k < n; ++k) uniform_[k] = Uniform(static_cast<int>(k));
    profiles_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      profiles_[k] = Look(Middle(uniform_[k], uniform_[(k + 1) % n]));
    }
    borders_ = uniform_;
    if (FindCorners()) Look();
    AddPieces(out);
  }

 private:
  /** The direction 2πk/sectors. */
  Vec2 Uniform(int k) const {
    const int quarter = fineness_.sectors / 4;
    const double part = static_cast<double>(k % quarter) / quarter;
    // Half the angle within the quarter is at most π/4, where the series errs by 2e-14.
    const double a = 0.25 * kPi * part, q = a * a;
    const double sine =
        a * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110 * (1 - q / 156))))));
    const double cosine = std::sqrt(1 - sine * sine);
    Vec2 d{cosine * cosine - sine * sine, 2 * sine * cosine};
    for (int turn = 0; turn < k / quarter; ++turn) d = {-d.y, d.x};
    return d;
  }

  static Vec2 Middle(const Vec2& a, const Vec2& b) { return 0.5 * (a + b); }
  Profile Look(const Vec2& d) { return FindProfile(&columns_, center_, L_ * d, kReach / Length(d)); }
  static double Length(const Vec2& d) { return std::sqrt(Dot(d, d)); }

  /** Looks along the middles of all sectors anew. */
  void Look() {
    profiles_.resize(borders_.size());
    for (std::size_t k = 0; k < borders_.size(); ++k) {
      profiles_[k] = Look(Middle(borders_[k], borders_[(k + 1) % borders_.size()]));
    }
  }

  /** The rim's point of a uniform sector. */
  Vec2 RimOf(std::size_t k) const {
    const std::size_t n = uniform_.size();
    return profiles_[k % n].runs[0].to * Middle(uniform_[k % n], uniform_[(k + 1) % n]);
  }

  /** Finds the corners of a rim that starts at C everywhere, and sets the sectors' borders to
   corners and points between them. Each edge is taken to be straight at its two last sectors.
   Returns whether there are corners. */
  bool FindCorners() {
    const std::size_t n = uniform_.size();
    const auto rim = [&](std::size_t k) { return profiles_[k % n].runs[0].rim; };
    struct Corner {
      std::size_t after;  // the last sector of the edge before it
      Vec2 p;
    };
    std::vector<Corner> corners;
    for (const Profile& profile : profiles_) {
      if (profile.count != 1 || profile.runs[0].from > 0) return false;
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (rim(k) == rim(k + 1)) continue;
      if (rim(k + n - 1) != rim(k) || rim(k + 1) != rim(k + 2)) return false;
      const Vec2 a = RimOf(k), b = RimOf(k + 1);
      const Vec2 u = a - RimOf(k + n - 1), w = b - RimOf(k + 2);
      const double turn = Cross(u, w);
      const Vec2 corner = a + (Cross(b - a, w) / turn) * u;
      // Between the two sectors' middles, and no farther off than the edges are.
      if (!(Cross(a, corner) >= 0 && Cross(corner, b) >= 0 && Dot(corner, a) > 0)) return false;
      if (!(Length(corner) < 2 * (Length(a) + Length(b)))) return false;
      corners.push_back({k, corner});
      if (corners.size() > kMostCorners) return false;
    }
    if (corners.size() < 2) return false;
    borders_.clear();
    for (std::size_t c = 0; c < corners.size(); ++c) {
      const Corner& from = corners[c];
      const Corner& to = corners[(c + 1) % corners.size()];
      const std::size_t sectors = (to.after + n - from.after - 1) % n + 1;
      const Vec2 chord = to.p - from.p;
      const Vec2 middle = RimOf(from.after + (sectors + 1) / 2) - from.p;
      const bool straight = std::fabs(Cross(chord, middle)) <= kStraight * Dot(chord, chord);
      borders_.push_back(from.p);
      for (std::size_t k = 1; k < sectors; ++k) {
        const double part = static_cast<double>(k) / static_cast<double>(sectors);
        borders_.push_back(straight ? from.p + part * chord : uniform_[(from.after + 1 + k) % n]);
      }
    }
    return true;
  }

  /** How many sectors share a piece of ring `ring` of the first run, so that it is about as wide
   as it is high. */
  std::size_t Sharing(int ring) const {
    const double wide = 2 * kPi * (ring + 0.5) / fineness_.sectors;
    std::size_t sharing = 1;
    while (static_cast<double>(sharing + 1) * wide < 1.25 && sharing < 12) ++sharing;
    return sharing;
  }

  /** What a ring of a sector holds. */
  struct Piece {
    double area = 0, mass = 0;
    Vec2 moment;
  };

  /** The part of a run between two shares of its length. */
  Piece PartOf(const Run& run, std::size_t sector, double from, double to) const {
    const Vec2& a = borders_[sector];
    const Vec2& b = borders_[(sector + 1) % borders_.size()];
    double c[kDepths] = {};
    for (int g = 0; g < kDepths; ++g) {
      for (int k = 0; k < kDepths; ++k) {
        c[k] += run.depth[static_cast<std::size_t>(g)] * Cubic().c[g][k];
      }
    }
    // ∫ d r dr and ∫ d r² dr with r = from + length t.
    double m[3] = {}, low = 1, high = 1;
    double powers[kDepths + 3];
    for (int k = 0; k < kDepths + 3; ++k) {
      low *= from;
      high *= to;
      powers[k] = (high - low) / (k + 1);
    }
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < kDepths; ++k) m[j] += c[k] * powers[k + j];
    }
    const double R = run.from, W = run.to - run.from, cross = Cross(a, b);
    Piece piece;
    piece.area = cross * W * (R * powers[0] + W * powers[1]);
    piece.mass = cross * W * (R * m[0] + W * m[1]);
    // A round sector's mean lies nearer than its middle does, by Δ²/24.
    const double turn = 1 - Dot(a, b) / (Length(a) * Length(b));
    const double nearer = Straight(sector) ? 1.0 : 1 - turn / 12;
    piece.moment = (cross * W * nearer * (R * R * m[0] + 2 * R * W * m[1] + W * W * m[2])) *
                   Middle(a, b);
    return piece;
  }

  static const Cubics& Cubic() {
    static const Cubics kCubics = MakeCubics();
    return kCubics;
  }

  /** Whether a sector's borders end on a straight edge: they are corners or points between them. */
  bool Straight(std::size_t sector) const {
    const Vec2& a = borders_[sector];
    const Vec2& b = borders_[(sector + 1) % borders_.size()];
    return std::fabs(Dot(a, a) - 1) > 1e-12 || std::fabs(Dot(b, b) - 1) > 1e-12;
  }

  void Add(const Piece& piece, PatchQuadrature* out) const {
    if (!(piece.mass > 0) || !(piece.area > 0)) return;
    const Vec2 p = L_ * ((1 / piece.mass) * piece.moment);
    out->x.push_back(p.x);
    out->y.push_back(p.y);
    out->share.push_back(piece.mass);
    out->reach_squared.push_back(piece.area * L_.Determinant() / kPi);
  }

  void AddPieces(PatchQuadrature* out) const {
    const std::size_t n = borders_.size();
    for (int ring = 0; ring < fineness_.rings; ++ring) {
      const double from = static_cast<double>(ring) / fineness_.rings;
      const double to = static_cast<double>(ring + 1) / fineness_.rings;
      const std::size_t sharing = Sharing(ring);
      for (std::size_t k = 0; k < n; k += sharing) {
        Piece sum;
        for (std::size_t s = k; s < std::min(k + sharing, n); ++s) {
          const Profile& profile = profiles_[s];
          if (profile.count == 0 || profile.runs[0].from > 0) continue;
          const Piece piece = PartOf(profile.runs[0], s, from, to);
          sum.area += piece.area;
          sum.mass += piece.mass;
          sum.moment = sum.moment + piece.moment;
        }
        Add(sum, out);
      }
    }
    for (std::size_t s = 0; s < n; ++s) {
      for (int r = 0; r < profiles_[s].count; ++r) {
        const Run& run = profiles_[s].runs[static_cast<std::size_t>(r)];
        if (!(run.from > 0)) continue;
        const int rings =
            std::max(2, static_cast<int>(fineness_.rings * (run.to - run.from) / run.to + 0.5));
        for (int ring = 0; ring < rings; ++ring) {
          Add(PartOf(run, s, static_cast<double>(ring) / rings,
                     static_cast<double>(ring + 1) / rings),
              out);
        }
      }
    }
  }

  Columns& columns_;
  Stretching L_;
  PatchFineness fineness_;
  Column center_;
  std::vector<Vec2>& uniform_;      // directions at equal angles
  std::vector<Vec2>& borders_;      // of the sectors, each up to the next
  std::vector<Profile>& profiles_;  // along the middles of the sectors
};

/** Eight points with the patch's second moments. */
void AddEllipse(const Stretching& L, PatchQuadrature* out) {
  constexpr double kDiagonal = 0.70710678118654752440;
  constexpr Vec2 kPoints[] = {{1.4142135623730951, 0},  {1, 1},   {0, 1.4142135623730951},
                              {-1, 1},                  {-1.4142135623730951, 0},
                              {-1, -1},                 {0, -1.4142135623730951},
                              {1, -1}};
  for (const Vec2& point : kPoints) {
    const Vec2 p = L * point;
    out->x.push_back(p.x);
    out->y.push_back(p.y);
    out->share.push_back(1.0);
    out->reach_squared.push_back(0.5 * kDiagonal * kDiagonal * L.Determinant());
  }
}

/** Makes the shares' sum 1 and their centroid C, and fills up the last register. */
void Normalize(const Stretching& L, PatchQuadrature* out) {
  double sum = 0, x = 0, y = 0;
  for (std::size_t k = 0; k < out->size(); ++k) sum += out->share[k];
  for (double& share : out->share) share /= sum;
  for (std::size_t k = 0; k < out->size(); ++k) {
    x += out->share[k] * out->x[k];
    y += out->share[k] * out->y[k];
  }
  for (double& value : out->x) value -= x;
  for (double& value : out->y) value -= y;
  while (out->size() % PatchQuadrature::kLanes != 0) {
    out->x.push_back(L.longest);
    out->y.push_back(0.0);
    out->share.push_back(0.0);
    out->reach_squared.push_back(L.Determinant());
  }
}

}  // namespace

void ComputePatchQuadrature(std::span<const PairQuery> pairs, const PatchMoments& moments,
                            PatchQuadrature* out, const PatchFineness& fineness) {
  for (std::vector<double>* values : {&out->x, &out->y, &out->share, &out->reach_squared}) {
    values->clear();
  }
  const Vec3& n = moments.n;
  out->t1 = FirstAxis(pairs[0].X_WA.R, n);
  out->t2 = Cross(n, out->t1);
  const Stretching L = RootOfMoments(moments, out->t1, out->t2);
  thread_local Workspace workspace;
  const Mat3 R_WP = Transpose(Mat3{out->t1, out->t2, n});
  workspace.columns.Set(pairs, moments.p_WC, R_WP, kReach * L.longest);
  Division(L, fineness, &workspace).Make(out);
  if (out->size() == 0) AddEllipse(L, out);
  Normalize(L, out);
}

}  // namespace intervox
