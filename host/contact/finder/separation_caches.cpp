#include "host/contact/finder/separation_caches.h"

#include <utility>

namespace intervox::host {

void SeparationCaches::Update(std::span<const IndexPair> near,
                              std::vector<SeparationCache*>* caches) {
  next_.clear();
  caches->clear();
  const auto drop = [&](Entry& entry) {
    entry.cache->Clear();
    free_.push_back(std::move(entry.cache));
  };
  std::size_t old = 0;
  for (const IndexPair& bodies : near) {
    for (; old < entries_.size() && entries_[old].bodies < bodies; ++old) drop(entries_[old]);
    if (old < entries_.size() && entries_[old].bodies == bodies) {
      next_.push_back(std::move(entries_[old++]));
    } else if (!free_.empty()) {
      next_.push_back({bodies, std::move(free_.back())});
      free_.pop_back();
    } else {
      next_.push_back({bodies, std::make_unique<SeparationCache>()});
    }
    caches->push_back(next_.back().cache.get());
  }
  for (; old < entries_.size(); ++old) drop(entries_[old]);
  std::swap(entries_, next_);
}

}  // namespace intervox::host
