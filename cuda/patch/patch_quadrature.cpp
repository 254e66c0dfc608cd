#include "cuda/patch/patch_quadrature.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cuda/numerics/scalar.h"
#include "cuda/numerics/wide.h"
#include "cuda/patch/ellipse.h"
#include "cuda/patch/sectors.h"

namespace intervox {
namespace {

using cuda::internal::Cubics;
using cuda::internal::kDepths;
using cuda::internal::kPi;
using cuda::internal::kReach;
using cuda::internal::LoadWide;
using cuda::internal::MakeCubics;
using cuda::internal::Profile;
using cuda::internal::RootOfMoments;
using cuda::internal::Run;
using cuda::internal::Sectors;
using cuda::internal::StoreWide;
using cuda::internal::Stretching;
using cuda::internal::Vec2;

/** Axis t₁: that of the first cell's frame which lies flattest, so that points turn with it. */
Vec3 FirstAxis(const Mat3& R, const Vec3& n) {
  Vec3 flattest = R.Col(0);
  for (int k = 1; k < 3; ++k) {
    if (std::fabs(Dot(R.Col(k), n)) < std::fabs(Dot(flattest, n))) flattest = R.Col(k);
  }
  return Normalized(flattest - Dot(flattest, n) * n);
}

/** What all pieces of a sector share. */
struct Sector {
  double cross = 0;  ///< of its borders: twice the area of their triangle
  Vec2 mean;         ///< mean of the points at r = 1, between its borders
};

/** A run's depth as a cubic in the share of its length. */
struct Course {
  double from = 0, length = 0;
  double c[kDepths] = {};
};

using Lanes = cuda::internal::Wide<4>;  // four sectors at once
constexpr std::size_t kLanes = PatchQuadrature::kLanes;

/** Courses from C and their sectors, four side by side. */
struct FourCourses {
  Lanes length{}, c[kDepths] = {}, cross{}, mean_x{}, mean_y{};
};

/** What a ring of four sectors holds: area, mass and its moment. */
struct FourPieces {
  Lanes area{}, mass{}, x{}, y{};
};

/** Working memory of a division, used again. */
struct Workspace {
  Sectors sectors;
  std::vector<Sector> shared;
  std::vector<FourCourses> courses;
  std::vector<FourPieces> fours;
};

/** Divides the sectors of a patch into its pieces. */
class Pieces {
 public:
  Pieces(const Stretching& L, const PatchFineness& fineness, Workspace* workspace)
      : L_(L),
        fineness_(fineness),
        borders_(workspace->sectors.borders),
        profiles_(workspace->sectors.profiles),
        sectors_(workspace->shared),
        courses_(workspace->courses),
        fours_(workspace->fours),
        // Without corners pieces err by half of what they do elsewhere.
        rings_(workspace->sectors.is_round ? std::max(1, fineness.rings - fineness.rings / 8)
                                           : fineness.rings) {}

  void AddTo(PatchQuadrature* out) {
    out_ = out;
    AddInnerPieces();
    AddOuterPieces();
    Resize(count_);
  }

 private:
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

  Sector SectorOf(std::size_t sector) const {
    const Vec2& a = borders_[sector];
    const Vec2& b = borders_[(sector + 1) % borders_.size()];
    // A round sector's mean lies nearer than its middle does, by Δ²/24.
    const double nearer = IsUnit(a) && IsUnit(b) ? 1 - (1 - Dot(a, b)) / 12 : 1.0;
    return {Cross(a, b), nearer * cuda::internal::Middle(a, b)};
  }

  static Course CourseOf(const Run& run) {
    static const Cubics kCubics = MakeCubics();
    Course course{run.from, run.to - run.from, {}};
    for (int g = 0; g < kDepths; ++g) {
      for (int k = 0; k < kDepths; ++k) {
        course.c[k] += run.depth[static_cast<std::size_t>(g)] * kCubics.c[g][k];
      }
    }
    return course;
  }

  /** ∫ t^k dt between two shares. */
  struct Powers {
    double t[kDepths + 2];
  };

  static Powers PowersOf(int ring, int rings) {
    const double from = static_cast<double>(ring) / rings,
                 to = static_cast<double>(ring + 1) / rings;
    Powers powers{};
    double low = 1, high = 1;
    for (int k = 0; k < kDepths + 2; ++k) {
      low *= from;
      high *= to;
      powers.t[k] = (high - low) / (k + 1);
    }
    return powers;
  }

  /** The part of a run that the powers span. */
  static Piece PartOf(const Course& run, const Sector& sector, const Powers& powers) {
    double m[3] = {};  // ∫ d t^j dt
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < kDepths; ++k) m[j] += run.c[k] * powers.t[k + j];
    }
    const double R = run.from, W = run.length, scale = sector.cross * W;
    return {scale * (R * powers.t[0] + W * powers.t[1]), scale * (R * m[0] + W * m[1]),
            (scale * (R * R * m[0] + 2 * R * W * m[1] + W * W * m[2])) * sector.mean};
  }

  /** Sets how many points there is room for. */
  void Resize(std::size_t count) {
    for (std::vector<double>* values : {&out_->x, &out_->y, &out_->share, &out_->reach_squared}) {
      values->resize(count);
    }
  }

  /** Makes room for more points. */
  void Reserve(std::size_t more) {
    if (out_->size() < count_ + more) Resize(count_ + more);
  }

  /** Adds a piece; there is room for it. */
  void Add(const Piece& piece) {
    if (!(piece.mass > 0) || !(piece.area > 0)) return;
    const Vec2 p = L_ * ((1 / piece.mass) * piece.moment);
    out_->x[count_] = p.x;
    out_->y[count_] = p.y;
    out_->share[count_] = piece.mass;
    out_->reach_squared[count_] = piece.area * per_area_;
    ++count_;
  }

  /** Gathers the sectors, and the courses of runs that begin at C. */
  void GatherCourses() {
    const std::size_t n = borders_.size();
    sectors_.resize(n);
    courses_.assign((n + kLanes - 1) / kLanes, FourCourses{});
    for (std::size_t s = 0; s < n; ++s) {
      sectors_[s] = SectorOf(s);
      const Profile& profile = profiles_[s];
      if (profile.count == 0 || profile.runs[0].from > 0) continue;
      const Course course = CourseOf(profile.runs[0]);
      FourCourses& four = courses_[s / kLanes];
      const std::size_t lane = s % kLanes;
      four.length[lane] = course.length;
      four.cross[lane] = sectors_[s].cross;
      four.mean_x[lane] = sectors_[s].mean.x;
      four.mean_y[lane] = sectors_[s].mean.y;
      for (int k = 0; k < kDepths; ++k) four.c[k][lane] = course.c[k];
    }
  }

  /** Adds the pieces of runs that begin at C, several sectors together near it. */
  void AddInnerPieces() {
    GatherCourses();
    const std::size_t n = borders_.size();
    fours_.resize(courses_.size());
    Reserve(n * static_cast<std::size_t>(rings_));
    for (int ring = 0; ring < rings_; ++ring) {
      const std::size_t sharing = Sharing(ring);
      const Powers powers = PowersOf(ring, rings_);
      for (std::size_t f = 0; f < courses_.size(); ++f) {
        const FourCourses& four = courses_[f];
        Lanes m_1{}, m_2{};  // as in PartOf, with R = 0
#pragma GCC unroll 4
        for (int k = 0; k < kDepths; ++k) {
          m_1 += four.c[k] * powers.t[k + 1];
          m_2 += four.c[k] * powers.t[k + 2];
        }
        const Lanes &W = four.length, scale = four.cross * W;
        const Lanes moment = scale * (W * W * m_2);
        fours_[f] = {scale * (W * powers.t[1]), scale * (W * m_1), moment * four.mean_x,
                     moment * four.mean_y};
      }
      if (sharing == 1) {
        AddFours(n);
      } else {
        AddShared(n, sharing);
      }
    }
  }

  /** Adds a piece for each sector. */
  void AddFours(std::size_t n) {
    for (std::size_t f = 0; f < fours_.size(); ++f) {
      const FourPieces& four = fours_[f];
      const auto there = (four.mass > 0.0) & (four.area > 0.0);
      if ((f + 1) * kLanes > n || !(there[0] & there[1] & there[2] & there[3])) {
        for (std::size_t lane = 0; lane < kLanes && f * kLanes + lane < n; ++lane) {
          Add({four.area[lane], four.mass[lane], {four.x[lane], four.y[lane]}});
        }
        continue;
      }
      const Lanes per_mass = 1.0 / four.mass;
      const Lanes u = per_mass * four.x, v = per_mass * four.y;
      StoreWide(L_.xx * u + L_.xy * v, &out_->x[count_]);
      StoreWide(L_.xy * u + L_.yy * v, &out_->y[count_]);
      StoreWide(four.mass, &out_->share[count_]);
      StoreWide(four.area * per_area_, &out_->reach_squared[count_]);
      count_ += kLanes;
    }
  }

  /** Adds a piece for each so many sectors. */
  void AddShared(std::size_t n, std::size_t sharing) {
    Piece sum;
    for (std::size_t s = 0, left = sharing; s < n; ++s) {
      const FourPieces& four = fours_[s / kLanes];
      const std::size_t lane = s % kLanes;
      sum.area += four.area[lane];
      sum.mass += four.mass[lane];
      sum.moment = sum.moment + Vec2{four.x[lane], four.y[lane]};
      if (--left > 0 && s + 1 < n) continue;
      Add(sum);
      sum = {};
      left = sharing;
    }
  }

  /** Adds the pieces of runs that begin elsewhere. */
  void AddOuterPieces() {
    for (std::size_t s = 0; s < borders_.size(); ++s) {
      for (int r = 0; r < profiles_[s].count; ++r) {
        const Run& run = profiles_[s].runs[static_cast<std::size_t>(r)];
        if (!(run.from > 0)) continue;
        const double share = (run.to - run.from) / run.to;
        const int rings = std::max(2, static_cast<int>(fineness_.rings * share + 0.5));
        Reserve(static_cast<std::size_t>(rings));
        for (int ring = 0; ring < rings; ++ring) {
          Add(PartOf(CourseOf(run), sectors_[s], PowersOf(ring, rings)));
        }
      }
    }
  }

  Stretching L_;
  PatchFineness fineness_;
  const std::vector<Vec2>& borders_;
  const std::vector<Profile>& profiles_;
  std::vector<Sector>& sectors_;
  std::vector<FourCourses>& courses_;  // of the runs that begin at C
  std::vector<FourPieces>& fours_;     // of a ring of them
  int rings_;                          // pieces from C to the rim
  double per_area_ = L_.Determinant() / kPi;
  PatchQuadrature* out_ = nullptr;
  std::size_t count_ = 0;  // of its points so far
};

/** Eight points with the patch's second moments. */
void AddEllipse(const Stretching& L, PatchQuadrature* out) {
  constexpr double kDiagonal = 0.70710678118654752440;
  constexpr Vec2 kPoints[] = {
      {1.4142135623730951, 0},  {1, 1},   {0, 1.4142135623730951},  {-1, 1},
      {-1.4142135623730951, 0}, {-1, -1}, {0, -1.4142135623730951}, {1, -1}};
  for (const Vec2& point : kPoints) {
    const Vec2 p = L * point;
    out->x.push_back(p.x);
    out->y.push_back(p.y);
    out->share.push_back(1.0);
    out->reach_squared.push_back(0.5 * kDiagonal * kDiagonal * L.Determinant());
  }
}

double Sum(const Lanes& a) { return (a[0] + a[2]) + (a[1] + a[3]); }

/** Makes the shares' sum 1 and their centroid C, and fills up the last register. */
void Normalize(const Stretching& L, PatchQuadrature* out) {
  while (out->size() % PatchQuadrature::kLanes != 0) {
    out->x.push_back(L.longest);
    out->y.push_back(0.0);
    out->share.push_back(0.0);
    out->reach_squared.push_back(L.Determinant());
  }
  Lanes sum{}, x{}, y{};
  for (std::size_t k = 0; k < out->size(); k += kLanes) {
    const Lanes share = LoadWide<4>(&out->share[k]);
    sum += share;
    x += share * LoadWide<4>(&out->x[k]);
    y += share * LoadWide<4>(&out->y[k]);
  }
  const double per_sum = 1 / Sum(sum), mean_x = per_sum * Sum(x), mean_y = per_sum * Sum(y);
  for (double& share : out->share) share *= per_sum;
  for (double& value : out->x) value -= mean_x;
  for (double& value : out->y) value -= mean_y;
}

}  // namespace

void ComputePatchQuadrature(std::span<const PairQuery> pairs, const PatchMoments& moments,
                            PatchQuadrature* out, const PatchFineness& fineness) {
  const Vec3& n = moments.n;
  out->t1 = FirstAxis(pairs[0].X_WA.R, n);
  out->t2 = Cross(n, out->t1);
  const Stretching L = RootOfMoments(moments, out->t1, out->t2);
  thread_local Workspace workspace;
  const Mat3 R_WP = Transpose(Mat3{out->t1, out->t2, n});
  workspace.sectors.columns.Set(pairs, moments.p_WC, R_WP, kReach * L.longest);
  cuda::internal::LookAlongSectors(L, fineness.sectors, &workspace.sectors);
  Pieces(L, fineness, &workspace).AddTo(out);
  if (out->size() == 0) AddEllipse(L, out);
  Normalize(L, out);
}

}  // namespace intervox
