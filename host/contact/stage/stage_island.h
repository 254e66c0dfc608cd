/** @file The bodies and contacts of a stage that depend on each other, and their equation. */
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "cuda/device/executor.h"
#include "host/contact/stage/block_solver.h"
#include "host/contact/stage/island_matrix.h"
#include "host/contact/stage/stage_drag.h"
#include "host/contact/stage/stage_joint.h"
#include "host/contact/stage/stage_point.h"

namespace intervox::host::internal {

/** The largest of what any threads have seen, at least 0. */
class Largest {
 public:
  void See(double value) {
    for (double known = value_.load(std::memory_order_relaxed);
         known < value && !value_.compare_exchange_weak(known, value);) {
    }
  }
  double Value() const { return value_; }

 private:
  std::atomic<double> value_{0.0};
};

/** Free bodies that contacts hold together, and M (y − y*) − hγ Σ Jᵀ w(J y) = 0 for their
 velocities y: six unknowns for each body, however many contacts there are. Its memory is kept from
 one island to the next. */
class StageIsland {
 public:
  /** With more bodies than this the matrix is block-sparse. */
  std::size_t most_dense = kMostDenseBodies;
  /** Contacts or bodies that go to a thread together. */
  static constexpr int kGrain = 256;

  /** Empties the island. @param H  hγ [s] */
  void Clear(double H);
  /** Adds a free body, whose velocities are at y* until Solve. @return its first unknown */
  int AddBody(StageBody* body);
  /** Adds a contact with its Guess, and which of the bodies it has. */
  void AddPoint(StagePoint* point, const FirstGuess* guess, const BodyPair& pair) {
    points_.push_back(point);
    guesses_.push_back(guess);
    pairs_.push_back(pair);
  }
  /** Adds a joint with the first unknowns of its bodies, −1: not free, and those bodies, null: the
   world. */
  void AddJoint(StageJoint* joint, const int rows[2], StageBody* const bodies[2]);
  /** Finds the velocities on up to `threads` threads; adds iterations and the worst residual to
   `result`. */
  void Solve(int threads, StageResult* result);

 private:
  struct FreeBody {
    StageBody* body = nullptr;
    Vec3 v_star, w_star;  // y*
    Vec3 v_base, w_base;  // start of the current step
    double mass = 0.0;    // 0: translation is locked
    Mat3 inertia;         // all zero: rotation is locked
    double reach = 0.0;   // longest arm of its contacts [m]
    Vec3 force, moment;   // of the contacts that push it, about its centre [N], [N·m]
    int drag = -1;        // of drags_; -1: none
  };

  /** A joint of the island and its place among the unknowns. */
  struct IslandJoint {
    StageJoint* joint = nullptr;
    StageBody* body[2] = {};            // null: the world
    int row[2] = {-1, -1};              // first unknowns; −1: not free
    std::size_t first = 0;              // of its multipliers
    double scale[kMostJointRows] = {};  // of its rows: J M⁻¹ Jᵀ has ones on its diagonal
  };

  bool SolveSingle(StageResult* result);
  void TakeBodies();
  void BeginJoints();
  void PlaceUnknowns();
  void EvaluateJoints();
  void AssembleJoints(IslandMatrix* matrix);
  bool SolveWithJoints();
  double JointMiss() const;
  void TakeJointForces();
  double RelativeVelocity(const IslandJoint& joint, const JointRow& row) const;

  const DragInertia& Drag(const FreeBody& b) const {
    return drags_[static_cast<std::size_t>(b.drag)];
  }
  double Evaluate(bool hold, bool slopes = false);
  void AddToResidual(const StagePoint& point, const BodyPair& pair, double* residual);
  void EvaluateFew(bool hold, Largest* fastest);
  void MoveTo(double t);
  void PushBody(std::size_t body, double time, const Vec3& force, const Vec3& moment);
  void PushBodies();
  double Directional();
  double Residual() const;
  double StepLength() const;
  void Assemble(bool coupled);
  double NewtonStep(bool coupled, double tolerance);
  double Begin();
  double PushPoints();
  void BeginMany();
  void Sort();
  template <class Run>
  void ForBodies(const Run& run) const;
  static std::size_t Ranges(std::size_t count) { return (count + kGrain - 1) / kGrain; }
  template <class Run>
  void ForRangesOfPoints(const Run& run) const;
  template <class Of>
  double LargestOf(std::size_t count, const Of& of) const;
  template <class Read, class Run>
  void ForPointsByBody(std::span<const Read> read, const Run& run) const;
  void Search(bool hold, double g0);
  bool WeightsSettled() const;
  double Hold(double share);

  double H_ = 0.0;
  std::vector<FreeBody> bodies_;
  std::vector<StagePoint*> points_;
  std::vector<const FirstGuess*> guesses_;  // of each point
  std::vector<DragInertia> drags_;
  std::vector<double> residual_, step_;  // F and Δ
  std::vector<double> pulls_;            // of F, −H Σ Jᵀ w
  std::vector<double> parts_;            // of F or its slope, of ranges
  std::vector<IslandMatrix> part_matrices_;
  int threads_ = 1;
  std::vector<Vec3> centers_;    // of the bodies [m]
  std::vector<int> order_;       // of the bodies: those that lie together
  std::vector<int> place_;       // in it, of each body
  std::vector<int> region_;      // of each point; the last one: of the points across regions
  std::vector<BodyPair> pairs_;  // of each point
  std::vector<int> first_;       // of each region, in sorted_; one more at the end
  std::vector<int> sorted_;      // points, region by region
  bool many_ = false;            // more bodies than the dense matrix is for
  IslandMatrix matrix_;
  BlockSolver blocks_;
  std::vector<IslandBody> island_bodies_;
  std::vector<IslandJoint> joints_;
  std::size_t multipliers_ = 0;
  std::vector<double> impulses_;  // μ of each constraint: M (v − v*) + Jᵀ μ + … = 0
  std::vector<double> system_, solution_;             // with the multipliers
  std::vector<std::size_t> body_at_, multiplier_at_;  // places in the order of elimination
};

// Calls run(body) for all bodies.
template <class Run>
void StageIsland::ForBodies(const Run& run) const {
  cuda::ForEach(bodies_.size(), kGrain, threads_, run);
}

// Calls run(range, index) for all points, those of a range one after the other.
template <class Run>
void StageIsland::ForRangesOfPoints(const Run& run) const {
  cuda::ForEach(Ranges(points_.size()), 1, threads_, [&](std::size_t r) {
    const std::size_t last = std::min(points_.size(), (r + 1) * kGrain);
    for (std::size_t c = r * kGrain; c < last; ++c) {
      PrefetchAhead(c, last, [&](std::size_t soon) { return points_[soon]; });
      run(r, c);
    }
  });
}

// The largest of(k) for k < count, or 0.
template <class Of>
double StageIsland::LargestOf(std::size_t count, const Of& of) const {
  const auto largest_of = [&](int begin, int end) {
    double most = 0.0;
    for (int k = begin; k < end; ++k) most = std::max(most, of(static_cast<std::size_t>(k)));
    return most;
  };
  if (count <= kGrain) return largest_of(0, static_cast<int>(count));
  Largest largest;
  const auto some = [&](int begin, int end) { largest.See(largest_of(begin, end)); };
  cuda::ParallelFor(static_cast<int>(count), kGrain, threads_, some);
  return largest.Value();
}

// Calls run(index) for all points, in an order in which each may add to its bodies: regions at
// once, then what lies across. What it is to read of each is asked for ahead.
template <class Read, class Run>
void StageIsland::ForPointsByBody(std::span<const Read> read, const Run& run) const {
  if (!many_) {
    for (std::size_t c = 0; c < points_.size(); ++c) run(c);
    return;
  }
  const int regions = static_cast<int>(first_.size()) - 3;
  const auto some = [&](int begin, int end) {
    const int last = first_[static_cast<std::size_t>(end)];
    const auto index = [&](int at) {
      return static_cast<std::size_t>(sorted_[static_cast<std::size_t>(at)]);
    };
    for (int at = first_[static_cast<std::size_t>(begin)]; at < last; ++at) {
      PrefetchAhead(at, last, [&](auto soon) { return read[index(soon)]; });
      run(index(at));
    }
  };
  cuda::ParallelFor(regions, 1, threads_, some);
  some(regions, regions + 1);
}

}  // namespace intervox::host::internal
