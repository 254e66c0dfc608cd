#include "cuda/patch/patch_quadrature.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "cuda/numerics/scalar.h"
#include "cuda/numerics/wide.h"
#include "cuda/patch/ellipse.h"

namespace intervox {
namespace {

using cuda::internal::Column;
using cuda::internal::Columns;
using cuda::internal::Cubics;
using cuda::internal::kDepths;
using cuda::internal::kPi;
using cuda::internal::LoadWide;
using cuda::internal::MakeCubics;
using cuda::internal::Profile;
using cuda::internal::RootOfMoments;
using cuda::internal::Run;
using cuda::internal::StoreWide;
using cuda::internal::Stretching;
using cuda::internal::Vec2;

/** No point of a convex body is farther from its centroid than √15 standard deviations; 1 % is for
 the moments' own error. */
constexpr double kReach = 1.01 * 3.87298334620741688518;
/** Rims this near to a chord, as a share of it, are straight. */
constexpr double kStraight = 1e-6;
/** What follows from profiles beside it within this share need not be looked at. */
constexpr double kSmooth = 1e-5, kSmoothRing = 1e-4;
/** Corners that a rim may have; beyond, it is taken as round. */
constexpr std::size_t kMostCorners = 12;

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
  Columns columns;
  std::vector<Vec2> uniform, borders;
  std::vector<Profile> profiles;
  std::vector<Sector> sectors;
  std::vector<FourCourses> courses;
  std::vector<FourPieces> fours;
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
        profiles_(workspace->profiles),
        sectors_(workspace->sectors),
        courses_(workspace->courses),
        fours_(workspace->fours) {}

  void Make(PatchQuadrature* out) {
    const auto n = static_cast<std::size_t>(fineness_.sectors);
    if (uniform_.size() != n) {
      uniform_.resize(n);
      for (std::size_t k = 0; k < n; ++k) uniform_[k] = Uniform(static_cast<int>(k));
    }
    borders_ = uniform_;
    profiles_.resize(n);
    LookAtHalf();
    const bool one_run = !is_ring_ && HasOneRun(), round = one_run && HasOneRim();
    if (one_run && !round && FindCorners()) {
      LookAtEdges();
    } else {
      for (std::size_t k = 1; k < n; k += 2) Set(k, 1, is_ring_ || round);
    }
    // Without corners pieces err by half of what they do elsewhere.
    rings_ = round ? std::max(1, fineness_.rings - fineness_.rings / 8) : fineness_.rings;
    out_ = out;
    count_ = 0;
    AddInnerPieces();
    AddOuterPieces();
    Resize(count_);
  }

 private:
  /** The direction 2πk/sectors. */
  Vec2 Uniform(int k) const {
    const int quarter = fineness_.sectors / 4;
    const double part = static_cast<double>(k % quarter) / quarter;
    // Half the angle within the quarter is at most π/4, where the series errs by 2e-14.
    const double a = 0.25 * kPi * part, q = a * a;
    const double sine =
        a *
        (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110 * (1 - q / 156))))));
    const double cosine = std::sqrt(1 - sine * sine);
    Vec2 d{cosine * cosine - sine * sine, 2 * sine * cosine};
    for (int turn = 0; turn < k / quarter; ++turn) d = {-d.y, d.x};
    return d;
  }

  static Vec2 Middle(const Vec2& a, const Vec2& b) { return 0.5 * (a + b); }
  static double Length(const Vec2& d) { return std::sqrt(Dot(d, d)); }

  /** The profile along the middle of a sector. */
  Profile Look(std::size_t sector) {
    const Vec2 d = Middle(borders_[sector], borders_[(sector + 1) % borders_.size()]);
    const Profile profile = FindProfile(&columns_, center_, L_ * d, kReach / Length(d), last_);
    if (profile.count == 1) last_ = profile.runs[0];
    return profile;
  }

  /** Looks along every second sector, or along every fourth where those between follow from them:
   where the patch is smooth and as round as its ellipse, or a smooth ring, as four of them tell. */
  void LookAtHalf() {
    const std::size_t n = uniform_.size();
    is_ring_ = false;
    last_ = {};
    const bool halves = n % 16 == 0;
    for (std::size_t k = 0; k < n; k += halves ? 4 : 2) profiles_[k] = Look(k);
    if (!halves) return;
    is_ring_ = columns_.IsTorusOnPlane() && IsRing(4);
    bool follows = is_ring_ || (HasOneRun(4) && HasOneRim(4));
    std::size_t seen = 2;
    for (; seen < n && follows; seen += n / 4) {
      profiles_[seen] = Look(seen);
      follows = IsNear(profiles_[seen], Between(seen, 2));
    }
    is_ring_ = is_ring_ && follows;
    for (std::size_t k = 2; k < n; k += 4) {
      const bool looked = k < seen && (k - 2) % (n / 4) == 0;
      if (!looked) Set(k, 2, follows);
    }
  }

  /** Whether a profile is what was expected, to a small share of the pieces' own error. */
  static bool IsNear(const Profile& profile, const Run& other) {
    const Run& run = profile.runs[0];
    const double share = run.from > 0 ? kSmoothRing : kSmooth;
    if (profile.count != 1 || run.rim != other.rim || run.inner != other.inner) return false;
    if ((run.from > 0) != (other.from > 0)) return false;
    double deepest = 0, off = 0;
    for (std::size_t g = 0; g < run.depth.size(); ++g) {
      deepest = std::max(deepest, run.depth[g]);
      off = std::max(off, std::fabs(run.depth[g] - other.depth[g]));
    }
    const double most = share * (run.to - run.from);
    return std::fabs(run.to - other.to) <= most && std::fabs(run.from - other.from) <= most &&
           off <= share * deepest;
  }

  /** Whether is(count, first) holds of the runs in every direction looked at. */
  template <class Is>
  bool InAll(std::size_t every, const Is& is) const {
    for (std::size_t k = 0; k < profiles_.size(); k += every) {
      if (!is(profiles_[k].count, RunOf(k))) return false;
    }
    return true;
  }

  /** Whether the patch reaches from C to one rim in every direction looked at. */
  bool HasOneRun(std::size_t every = 2) const {
    return InAll(every, [](int count, const Run& run) { return count == 1 && !(run.from > 0); });
  }

  const Run& RunOf(std::size_t k) const { return profiles_[k % profiles_.size()].runs[0]; }

  /** Whether that rim lies on the same faces all around. */
  bool HasOneRim(std::size_t every = 2) const {
    return InAll(every, [this](int, const Run& run) { return run.rim == RunOf(0).rim; });
  }

  /** Whether the patch lies around C, between the same two rims in every direction looked at. */
  bool IsRing(std::size_t every) const {
    return HasOneRim(every) && InAll(every, [this](int count, const Run& run) {
             return count == 1 && run.from > 0 && run.inner == RunOf(0).inner;
           });
  }

  /** The run between two of a smooth patch, `apart` from it: of a ring by the trigonometric
   polynomial through all that are known, else by cubic interpolation. */
  Run Between(std::size_t k, std::size_t apart) const {
    const std::size_t n = profiles_.size();
    if (is_ring_) return AroundRing(k, apart);
    const Run* near[] = {&RunOf(k + n - 3 * apart), &RunOf(k + n - apart), &RunOf(k + apart),
                         &RunOf(k + 3 * apart)};
    const auto mean = [](double a, double b, double c, double d) {
      return (9 * (b + c) - (a + d)) / 16;
    };
    Run run;
    run.rim = near[1]->rim;
    run.to = mean(near[0]->to, near[1]->to, near[2]->to, near[3]->to);
    for (std::size_t g = 0; g < run.depth.size(); ++g) {
      run.depth[g] =
          mean(near[0]->depth[g], near[1]->depth[g], near[2]->depth[g], near[3]->depth[g]);
    }
    return run;
  }

  /** The run of a ring: Σ w_j run_j over runs at ψ_j = (2j + 1) π/N to both sides,
   w_j = (−1)^j cot(ψ_j/2)/N. */
  Run AroundRing(std::size_t k, std::size_t apart) const {
    const std::size_t n = profiles_.size(), known = n / (2 * apart);
    Run run;
    run.rim = RunOf(0).rim;
    run.inner = RunOf(0).inner;
    for (std::size_t j = 0; j < known / 2; ++j) {
      const std::size_t away = (2 * j + 1) * apart;
      const Vec2& turn = uniform_[away];
      const double sign = j % 2 == 0 ? 1.0 : -1.0;
      const double weight = sign * (1 + turn.x) / (turn.y * static_cast<double>(known));
      const Run &a = RunOf(k + away), &b = RunOf(k + n - away);
      run.from += weight * (a.from + b.from);
      run.to += weight * (a.to + b.to);
      for (std::size_t g = 0; g < run.depth.size(); ++g) {
        run.depth[g] += weight * (a.depth[g] + b.depth[g]);
      }
    }
    return run;
  }

  /** Sets a profile to the one run that follows from those `apart`, or looks. */
  void Set(std::size_t k, std::size_t apart, bool follows) {
    if (!follows) {
      profiles_[k] = Look(k);
      return;
    }
    profiles_[k].count = 1;
    profiles_[k].runs[0] = Between(k, apart);
  }

  /** The rim's point in the middle of a uniform sector that was looked at. */
  Vec2 RimOf(std::size_t k) const {
    const std::size_t n = uniform_.size();
    return RunOf(k).to * Middle(uniform_[k % n], uniform_[(k + 1) % n]);
  }

  /** Finds the corners of the rim, and sets the sectors' borders to corners and points between
   them. Each edge is taken to be straight at its two last sectors that were looked at. Returns
   whether all changes of the rim are corners. */
  bool FindCorners() {
    const std::size_t n = uniform_.size();
    const auto rim = [&](std::size_t k) { return RunOf(k).rim; };
    struct Corner {
      std::size_t after;  // the last sector of the edge before it
      Vec2 p;
    };
    std::array<Corner, kMostCorners> corners;
    std::size_t count = 0;
    for (std::size_t k = 0; k < n; k += 2) {
      if (rim(k) == rim(k + 2)) continue;
      if (rim(k + n - 2) != rim(k) || rim(k + 2) != rim(k + 4) || count == kMostCorners) {
        return false;
      }
      const Vec2 a = RimOf(k), b = RimOf(k + 2);
      const Vec2 u = a - RimOf(k + n - 2), w = b - RimOf(k + 4);
      const Vec2 corner = a + (Cross(b - a, w) / Cross(u, w)) * u;
      // Between the two sectors' middles, and no farther off than the edges are.
      if (!(Cross(a, corner) >= 0 && Cross(corner, b) >= 0 && Dot(corner, a) > 0)) return false;
      if (!(Length(corner) < 2 * (Length(a) + Length(b)))) return false;
      corners[count++] = {k, corner};
    }
    if (count < 2) return false;
    borders_.clear();
    for (std::size_t c = 0; c < count; ++c) {
      const Corner& from = corners[c];
      const Corner& to = corners[(c + 1) % count];
      const std::size_t sectors = (to.after + n - from.after - 1) % n + 1;
      const Vec2 chord = to.p - from.p;
      const Vec2 middle = RimOf(from.after + 2 * ((sectors + 2) / 4)) - from.p;
      const bool straight = std::fabs(Cross(chord, middle)) <= kStraight * Dot(chord, chord);
      borders_.push_back(from.p);
      for (std::size_t k = 1; k < sectors; ++k) {
        const double part = static_cast<double>(k) / static_cast<double>(sectors);
        borders_.push_back(straight ? from.p + part * chord : uniform_[(from.after + 1 + k) % n]);
      }
    }
    return true;
  }

  /** Looks along the sectors between corners. Where a sector's borders lie on a straight edge, so
   does its rim. */
  void LookAtEdges() {
    const std::size_t n = borders_.size();
    profiles_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const Vec2 &a = borders_[k], &b = borders_[(k + 1) % n];
      profiles_[k] =
          IsUnit(a) || IsUnit(b) ? Look(k) : ProfileTo(&columns_, L_ * Middle(a, b), 1.0);
    }
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

  Sector SectorOf(std::size_t sector) const {
    const Vec2& a = borders_[sector];
    const Vec2& b = borders_[(sector + 1) % borders_.size()];
    // A round sector's mean lies nearer than its middle does, by Δ²/24.
    const double nearer = IsUnit(a) && IsUnit(b) ? 1 - (1 - Dot(a, b)) / 12 : 1.0;
    return {Cross(a, b), nearer * Middle(a, b)};
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

  /** Whether a border is a direction, not a point of a straight edge. */
  static bool IsUnit(const Vec2& a) { return std::fabs(Dot(a, a) - 1) <= 1e-12; }

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

  Columns& columns_;
  Stretching L_;
  PatchFineness fineness_;
  Column center_;
  std::vector<Vec2>& uniform_;      // directions at equal angles
  std::vector<Vec2>& borders_;      // of the sectors, each up to the next
  std::vector<Profile>& profiles_;  // along the middles of the sectors
  std::vector<Sector>& sectors_;
  std::vector<FourCourses>& courses_;  // of the runs that begin at C
  std::vector<FourPieces>& fours_;     // of a ring of them
  int rings_ = 1;                      // pieces from C to the rim
  bool is_ring_ = false;               // smooth, around C
  Run last_;                           // seen
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
  workspace.columns.Set(pairs, moments.p_WC, R_WP, kReach * L.longest);
  Division(L, fineness, &workspace).Make(out);
  if (out->size() == 0) AddEllipse(L, out);
  Normalize(L, out);
}

}  // namespace intervox
