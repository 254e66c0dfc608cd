#include "cuda/patch/sectors.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "cuda/numerics/scalar.h"

namespace intervox::cuda::internal {
namespace {

/** Rims this near to a chord, as a share of it, are straight. */
constexpr double kStraight = 1e-6;
/** What follows from profiles beside it within this share need not be looked at. */
constexpr double kSmooth = 1e-5, kSmoothRing = 1e-4;
/** Corners that a rim may have; beyond, it is taken as round. */
constexpr std::size_t kMostCorners = 12;

/** Divides a patch into sectors. */
class Division {
 public:
  Division(const Stretching& L, int count, Sectors* sectors)
      : columns_(sectors->columns),
        L_(L),
        count_(count),
        center_(columns_.At(0, 0)),
        uniform_(sectors->uniform),
        borders_(sectors->borders),
        profiles_(sectors->profiles) {}

  /** @returns whether the patch has one rim without corners */
  bool Make() {
    const auto n = static_cast<std::size_t>(count_);
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
    return round;
  }

 private:
  /** The direction 2πk/sectors. */
  Vec2 Uniform(int k) const {
    const int quarter = count_ / 4;
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

  Columns& columns_;
  Stretching L_;
  int count_;
  Column center_;
  std::vector<Vec2>& uniform_;
  std::vector<Vec2>& borders_;
  std::vector<Profile>& profiles_;
  bool is_ring_ = false;  // smooth, around C
  Run last_;              // seen
};

}  // namespace

void LookAlongSectors(const Stretching& L, int count, Sectors* sectors) {
  sectors->is_round = Division(L, count, sectors).Make();
}

}  // namespace intervox::cuda::internal
