/** @file Triangles by their three corners. */
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** Whether a corner stands twice. */
inline bool HasCornerTwice(const std::array<int, 3>& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

/** The corners in ascending order. */
inline std::array<int, 3> Sorted(std::array<int, 3> t) {
  std::sort(t.begin(), t.end());
  return t;
}

/** The triangles' numbers, so that those with the same corners stand together, in their order. */
inline std::vector<int> ByCorners(const TriangleMesh& mesh) {
  std::vector<int> order(mesh.triangles.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return Sorted(mesh.triangles[a]) < Sorted(mesh.triangles[b]);
  });
  return order;
}

/** Whether the permutation that sorts the corners is even. */
inline bool IsEven(const std::array<int, 3>& t) {
  return (t[0] < t[1]) + (t[1] < t[2]) + (t[2] < t[0]) == 2;
}

}  // namespace intervox::host
