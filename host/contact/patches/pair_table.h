/** @file A sorted table of cell pairs that finds the neighbours of each. */
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

namespace intervox::host {

/** Cell a of body i and cell b of body j; of contact by points, one of their points. */
struct CellPair {
  int i = 0;
  int j = 0;
  int a = 0;
  int b = 0;
  int point = 0;
  /** Lexicographic by i, j, a, b, point. */
  bool operator<(const CellPair& o) const {
    return std::tie(i, j, a, b, point) < std::tie(o.i, o.j, o.a, o.b, o.point);
  }
  /** All indices are equal. */
  bool operator==(const CellPair&) const = default;
};

/** Whether two are of the same cells, whichever of their points. */
inline bool SameCells(const CellPair& one, const CellPair& two) {
  return one.i == two.i && one.j == two.j && one.a == two.a && one.b == two.b;
}

/** Which cells of a body are neighbours. */
class CellNeighbours {
 public:
  virtual ~CellNeighbours() = default;
  /** The cells of a body that share a cut face with `cell`: ascending, without itself. If a is a
   neighbour of b, then b is one of a. */
  virtual std::span<const int> Neighbours(int body, int cell) const = 0;
};

/** Cell pairs in ascending order, each once. Two pairs (a, b) and (a′, b′) of the same bodies are
 neighbours when a = a′ or these cells are neighbours, and likewise b and b′. */
class PairTable {
 public:
  /** Empties the table, keeps its memory. */
  void Clear();
  /** Appends a pair, which must come after all that are in. */
  void Add(const CellPair& pair);

  /** How many pairs there are. */
  std::size_t size() const { return pairs_.size(); }
  /** The pair at a place. */
  const CellPair& operator[](std::size_t k) const { return pairs_[k]; }
  /** Which run of pairs of the same bodies a pair belongs to; runs count from 0. */
  int RunOf(std::size_t k) const { return rows_[RowOf(k)].run; }
  /** How many runs there are. */
  std::size_t runs() const { return first_row_.size(); }

  /** Calls visit(l) for each neighbour l of pair k in ascending order, k itself included. Costs the
   logarithm of the table for each combination of neighbouring cells, and no more than the rows and
   pairs that the table has of these bodies. */
  template <class Visit>
  void VisitNeighbours(const CellNeighbours& cells, std::size_t k, Visit visit) const {
    const CellPair& pair = pairs_[k];
    const auto run = static_cast<std::size_t>(RunOf(k));
    const std::size_t end = run + 1 < first_row_.size() ? first_row_[run + 1] : rows_.size();
    const std::span<const int> near_b = cells.Neighbours(pair.j, pair.b);
    VisitCommon(
        cells.Neighbours(pair.i, pair.a), pair.a, first_row_[run], end,
        [&](std::size_t row) { return pairs_[rows_[row].first].a; },
        [&](std::size_t row) {
          const std::size_t past = row + 1 < rows_.size() ? rows_[row + 1].first : pairs_.size();
          VisitCommon(
              near_b, pair.b, rows_[row].first, past, [&](std::size_t l) { return pairs_[l].b; },
              visit);
        });
  }

 private:
  /** The pairs of one cell of body i. */
  struct Row {
    std::size_t first = 0;  ///< pair
    int run = 0;
  };

  std::size_t RowOf(std::size_t k) const { return row_of_[k]; }

  /** Calls visit(k) for each k in [begin, end) whose value(k), which ascends, is `own` or one of
   `others`, which ascend too. Costs the shorter list times the logarithm of the longer. */
  template <class Value, class Visit>
  static void VisitCommon(std::span<const int> others, int own, std::size_t begin, std::size_t end,
                          Value value, Visit visit) {
    if (end - begin <= others.size()) {
      for (std::size_t k = begin; k < end; ++k) {
        const int v = value(k);
        if (v == own || std::binary_search(others.begin(), others.end(), v)) visit(k);
      }
      return;
    }
    std::size_t at = begin;
    const auto look_for = [&](int v) {
      std::size_t past = end;
      while (at < past) {
        const std::size_t middle = at + (past - at) / 2;
        if (value(middle) < v) {
          at = middle + 1;
        } else {
          past = middle;
        }
      }
      if (at < end && value(at) == v) visit(at++);
    };
    const auto after = std::lower_bound(others.begin(), others.end(), own);
    for (auto other = others.begin(); other != after; ++other) look_for(*other);
    look_for(own);
    for (auto other = after; other != others.end(); ++other) look_for(*other);
  }

  std::vector<CellPair> pairs_;
  std::vector<std::size_t> row_of_;
  std::vector<Row> rows_;
  std::vector<std::size_t> first_row_;  ///< of each run
};

}  // namespace intervox::host
