#include "host/contact/patches/pair_table.h"

namespace intervox::host {

void PairTable::Clear() {
  pairs_.clear();
  row_of_.clear();
  rows_.clear();
  first_row_.clear();
}

void PairTable::Add(const CellPair& pair) {
  const bool same_bodies =
      !pairs_.empty() && pairs_.back().i == pair.i && pairs_.back().j == pair.j;
  if (!same_bodies) first_row_.push_back(rows_.size());
  if (!same_bodies || pairs_.back().a != pair.a) {
    rows_.push_back({pairs_.size(), static_cast<int>(first_row_.size()) - 1});
  }
  row_of_.push_back(rows_.size() - 1);
  pairs_.push_back(pair);
}

}  // namespace intervox::host
