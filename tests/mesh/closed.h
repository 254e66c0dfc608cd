/** @file What must hold of every triangulated solid. */
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "host/mesh/triangulate.h"

namespace intervox::host {

/** Each edge has two triangles, which pass it in opposite directions; each vertex has one ring of
 them. @returns the Euler characteristic: 2 for each ball, 0 for each ring. */
inline int ExpectClosed(const Triangles& mesh) {
  std::map<std::pair<int, int>, int> directed;
  std::map<int, std::map<int, int>> next;  // around a vertex, from one neighbour to the other
  std::set<int> used;
  for (const auto& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) {
      const int a = t[i], b = t[(i + 1) % 3], c = t[(i + 2) % 3];
      EXPECT_NE(a, b);
      ++directed[{a, b}];
      next[a][b] = c;
      used.insert(a);
    }
  }
  int wrong = 0;
  for (const auto& [edge, count] : directed) {
    const auto other = directed.find({edge.second, edge.first});
    wrong += count != 1 || other == directed.end() || other->second != 1 ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0) << "of " << directed.size() << " directed edges";
  int torn = 0;
  for (const auto& [vertex, ring] : next) {
    std::size_t steps = 0;
    int at = ring.begin()->first;
    do {
      const auto step = ring.find(at);
      if (step == ring.end()) break;
      at = step->second;
      ++steps;
    } while (at != ring.begin()->first && steps <= ring.size());
    torn += steps != ring.size() ? 1 : 0;
  }
  EXPECT_EQ(torn, 0) << "of " << next.size() << " vertices";
  EXPECT_EQ(used.size(), mesh.p.size()) << "vertices without a triangle";
  return static_cast<int>(used.size()) - static_cast<int>(directed.size()) / 2 +
         static_cast<int>(mesh.triangles.size());
}

/** The share of the area in triangles that face against their exact normals. */
inline double TurnedArea(const Triangles& mesh) {
  double turned = 0, all = 0;
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
    const auto& t = mesh.triangles[k];
    const Vec3 n = Cross(mesh.p[t[1]] - mesh.p[t[0]], mesh.p[t[2]] - mesh.p[t[0]]);
    const Vec3 exact = mesh.normals[k][0] + mesh.normals[k][1] + mesh.normals[k][2];
    turned += Dot(n, exact) < 0 ? Norm(n) : 0;
    all += Norm(n);
  }
  return turned / all;
}

}  // namespace intervox::host
