/** @file Disjoint sets of integers: what is connected. */
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace intervox::host {

/** The root of k's set; halves the way there.
 @param parent  of each element, itself where it is a root. */
inline int FindRoot(std::span<int> parent, int k) {
  for (;;) {
    int& up = parent[static_cast<std::size_t>(k)];
    if (up == k) return k;
    up = parent[static_cast<std::size_t>(up)];
    k = up;
  }
}

/** Unites the sets of two elements. The root is the least element of a set whose every union was
 made by this. */
inline void Unite(std::span<int> parent, int i, int j) {
  i = FindRoot(parent, i);
  j = FindRoot(parent, j);
  parent[static_cast<std::size_t>(std::max(i, j))] = std::min(i, j);
}

}  // namespace intervox::host
