/** @file Triangles or tetrahedra over numbered vertices, which are cut by bisecting edges. */
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace intervox::host {

/** Simplices of N vertices each, with the star of each vertex: N = 3 triangles, 4 tetrahedra.

 Numbers of simplices are stable; those of dead ones are used again. Bisect keeps orientations, and
 it keeps a mesh conforming, because it bisects all simplices at an edge. */
template <int N>
class SimplexMesh {
 public:
  /** Numbers of vertices, and what the owner says of the simplex; children inherit it. */
  struct Simplex {
    std::array<int, N> v{};
    int tag = -1;
    bool alive = false;
  };

  /** Makes room for vertices below this number. */
  void Reserve(int vertices) {
    if (static_cast<int>(stars_.size()) < vertices) stars_.resize(vertices);
  }
  /** Adds a simplex and returns its number. */
  int Add(const std::array<int, N>& v, int tag) {
    int s = static_cast<int>(simplices_.size());
    if (free_.empty()) {
      simplices_.emplace_back();
    } else {
      s = free_.back();
      free_.pop_back();
    }
    simplices_[s] = {v, tag, true};
    for (const int i : v) {
      Reserve(i + 1);
      stars_[i].push_back(s);
    }
    return s;
  }
  /** Removes a simplex. */
  void Remove(int s) {
    for (const int i : simplices_[s].v) Leave(i, s);
    simplices_[s].alive = false;
    free_.push_back(s);
  }
  /** Puts vertex `to` in the place of `from` in one simplex. */
  void Replace(int s, int from, int to) {
    std::replace(simplices_[s].v.begin(), simplices_[s].v.end(), from, to);
    Leave(from, s);
    stars_[to].push_back(s);
  }
  /** Bisects the edge from a to b at the new vertex p, in all simplices at it. Each keeps its
   number for the half at a; `born` gets (simplex, its other half). */
  void Bisect(int a, int b, int p, std::vector<std::pair<int, int>>* born) {
    Reserve(p + 1);
    born->clear();
    for (const int s : Around(a, b)) {
      std::array<int, N> other = simplices_[s].v;
      std::replace(other.begin(), other.end(), a, p);
      Replace(s, b, p);
      born->emplace_back(s, Add(other, simplices_[s].tag));
    }
  }
  /** The simplices at the edge from a to b. */
  std::vector<int> Around(int a, int b) const {
    std::vector<int> around;
    for (const int s : stars_[a]) {
      if (Has(s, b)) around.push_back(s);
    }
    return around;
  }
  /** The vertex is one of the simplex. */
  bool Has(int s, int vertex) const {
    const auto& v = simplices_[s].v;
    return std::find(v.begin(), v.end(), vertex) != v.end();
  }
  /** The simplices at a vertex. */
  const std::vector<int>& Star(int vertex) const { return stars_[vertex]; }
  /** One simplex, dead or alive. */
  const Simplex& operator[](int s) const { return simplices_[s]; }
  /** Says something of a simplex. */
  void Tag(int s, int tag) { simplices_[s].tag = tag; }
  /** One more than the largest number of a simplex. */
  int Size() const { return static_cast<int>(simplices_.size()); }
  /** One more than the largest number of a vertex. */
  int Vertices() const { return static_cast<int>(stars_.size()); }
  /** Simplices alive. */
  int Alive() const { return Size() - static_cast<int>(free_.size()); }

 private:
  void Leave(int vertex, int s) {
    auto& star = stars_[vertex];
    star.erase(std::find(star.begin(), star.end(), s));
  }

  std::vector<Simplex> simplices_;
  std::vector<std::vector<int>> stars_;
  std::vector<int> free_;
};

}  // namespace intervox::host
