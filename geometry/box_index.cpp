#include "geometry/box_index.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace intervox::geometry {
namespace {

/** Boxes that are looked through before they get a tree. */
constexpr std::size_t kLoose = 16;

bool IsFinite(const Aabb& box) {
  const Vec3 sum = box.lower + box.upper;
  return std::isfinite(sum.x) && std::isfinite(sum.y) && std::isfinite(sum.z);
}

}  // namespace

BoxIndex::Stretch BoxIndex::MakeStretch(std::size_t begin, std::size_t end) const {
  Stretch stretch;
  stretch.begin = begin;
  stretch.end = end;
  std::vector<Aabb> finite;
  for (std::size_t k = begin; k < end; ++k) {
    (IsFinite(boxes_[k]) ? stretch.finite : stretch.others).push_back(static_cast<int>(k));
    if (IsFinite(boxes_[k])) finite.push_back(boxes_[k]);
  }
  stretch.tree = BoxTree(finite);
  return stretch;
}

void BoxIndex::Add(const Aabb& box) {
  boxes_.push_back(box);
  if (boxes_.size() - indexed_ >= kLoose) GrowStretches();
}

void BoxIndex::Add(const std::vector<Aabb>& boxes) {
  boxes_.insert(boxes_.end(), boxes.begin(), boxes.end());
  if (boxes_.size() - indexed_ >= kLoose) GrowStretches();
}

/** Makes a stretch of the boxes that have none and of the shorter stretches before them. */
void BoxIndex::GrowStretches() {
  std::size_t begin = indexed_;
  const std::size_t end = boxes_.size();
  while (!stretches_.empty() &&
         stretches_.back().end - stretches_.back().begin < 2 * (end - begin)) {
    begin = stretches_.back().begin;
    stretches_.pop_back();
  }
  stretches_.push_back(MakeStretch(begin, end));
  indexed_ = end;
}

void BoxIndex::Find(const Aabb& box, std::vector<int>* near) const {
  near->clear();
  const auto test = [&](int k) {
    if (Overlap(boxes_[static_cast<std::size_t>(k)], box)) near->push_back(k);
  };
  for (const Stretch& stretch : stretches_) {
    for (const int k : stretch.others) test(k);
    stretch.tree.Any([&](const Aabb& around) { return Overlap(around, box); },
                     [&](int item) {
                       test(stretch.finite[static_cast<std::size_t>(item)]);
                       return false;
                     });
  }
  for (std::size_t k = indexed_; k < boxes_.size(); ++k) test(static_cast<int>(k));
  std::sort(near->begin(), near->end());
}

}  // namespace intervox::geometry
