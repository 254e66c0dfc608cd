/** @file The finder and the patches of two bodies alone, for tests. */
#pragma once

#include <span>
#include <vector>

#include "host/contact/patches/patches.h"

namespace intervox::host::testing {

/** Finds the overlapping cells of bodies 0 and 1. */
class TwoBodyFinder {
 public:
  TwoBodyFinder(const Engine& engine, const FinderSettings& settings, const BodyCells* cells_i,
                const BodyCells* cells_j)
      : finder_(engine, settings), pair_{0, 1, cells_i, cells_j, &cache_} {}
  TwoBodyFinder(const TwoBodyFinder&) = delete;
  TwoBodyFinder& operator=(const TwoBodyFinder&) = delete;

  std::span<const ActivePair> Find(std::span<const Pose> X_WB) {
    finder_.Find({&pair_, 1}, X_WB, &scratch_, &active_);
    return active_;
  }
  std::int64_t queries() const { return scratch_.counters.queries; }

 private:
  PairFinder finder_;
  SeparationCache cache_;
  NearPair pair_;
  FinderScratch scratch_;
  std::vector<ActivePair> active_;
};

/** Rules for bodies 0 and 1, or for more that have the same cells. */
class TwoBodyRules : public PatchRules {
 public:
  TwoBodyRules(const PatchSettings& settings, std::span<const geometry::Cell> cells_i,
               std::span<const geometry::Cell> cells_j)
      : settings_(settings), cells_{cells_i, cells_j} {}
  const PatchSettings& Settings(int /*i*/, int /*j*/) const override { return settings_; }
  std::span<const int> Neighbours(int body, int cell) const override {
    return cells_[body == 0 ? 0 : 1][static_cast<std::size_t>(cell)].neighbours;
  }

 private:
  PatchSettings settings_;
  std::span<const geometry::Cell> cells_[2];
};

/** The patches of bodies 0 and 1. */
class TwoBodyPatches {
 public:
  TwoBodyPatches(const PatchSettings& settings, std::span<const geometry::Cell> cells_i,
                 std::span<const geometry::Cell> cells_j)
      : rules_(settings, cells_i, cells_j) {}

  void Evaluate(std::span<const ActivePair> pairs, std::size_t capacity) {
    host::Evaluate(rules_, pairs, capacity, &patches_, &scratch_);
  }
  bool Regroups(std::span<const ActivePair> pairs) {
    Group(rules_, pairs, &scratch_, &grouping_);
    return host::Regroups(patches_, pairs, grouping_, &scratch_);
  }
  PatchChanges Accept(std::span<const ActivePair> pairs, double t) {
    Group(rules_, pairs, &scratch_, &grouping_);
    return host::Accept(rules_, pairs, grouping_, t, &patches_, &scratch_);
  }
  std::vector<Contact>& contacts() { return patches_.contacts; }
  const Patches& patches() const { return patches_; }
  std::int64_t undefined_normals() const { return patches_.undefined_normals; }

 private:
  TwoBodyRules rules_;
  Patches patches_;
  PatchScratch scratch_;
  Grouping grouping_;
};

}  // namespace intervox::host::testing
