// Grouping of many cell pairs: against the rules as loops over all pairs, and within linear time.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <map>
#include <random>

#include "tests/host/quadratic_patches.h"
#include "tests/host/two_bodies.h"

namespace intervox::host {
namespace {

using Random = std::mt19937_64;

double Uniform(Random& random, double lo, double hi) {
  return std::uniform_real_distribution<double>(lo, hi)(random);
}

/** n × m cells, each with up to eight neighbours, of which every fifth or so is not one. */
std::vector<geometry::Cell> Grid(int n, int m, Random& random) {
  std::vector<geometry::Cell> cells(static_cast<std::size_t>(n * m));
  const auto link = [&](int a, int b) {
    cells[static_cast<std::size_t>(a)].neighbours.push_back(b);
    cells[static_cast<std::size_t>(b)].neighbours.push_back(a);
  };
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < m; ++y) {
      for (const auto& [dx, dy] : {std::pair(1, 0), std::pair(0, 1), std::pair(1, 1)}) {
        if (x + dx < n && y + dy < m && Uniform(random, 0, 1) < 0.8) {
          link(m * x + y, m * (x + dx) + y + dy);
        }
      }
    }
  }
  for (geometry::Cell& cell : cells) std::sort(cell.neighbours.begin(), cell.neighbours.end());
  return cells;
}

struct Settings {
  double share = 0.5;   // of cell pairs that overlap
  double spread = 0.3;  // of the normals about those of some regions
  int regions = 3;
  double undirected = 0.1;
};

/** Overlaps of cells of two grids of m columns, at the place of the second one's cell. */
std::vector<ActivePair> Overlaps(std::size_t count_i, std::size_t count_j, int m,
                                 const Settings& settings, Random& random) {
  std::normal_distribution<double> normal;
  std::vector<Vec3> facing;
  for (int r = 0; r < settings.regions; ++r) {
    facing.push_back(Normalized(Vec3{normal(random), normal(random), normal(random)}));
  }
  std::vector<ActivePair> pairs;
  for (std::size_t a = 0; a < count_i; ++a) {
    for (std::size_t b = 0; b < count_j; ++b) {
      if (Uniform(random, 0, 1) > settings.share) continue;
      ActivePair pair;
      pair.j = 1;
      pair.a = static_cast<int>(a);
      pair.b = static_cast<int>(b);
      const double x = static_cast<double>(pair.b / m), y = pair.b % m;
      const auto region = static_cast<std::size_t>(x * settings.regions / 12.0) % facing.size();
      const Vec3 n = Normalized(
          facing[region] + settings.spread * Vec3{normal(random), normal(random), normal(random)});
      const double area = 1e-4 * std::pow(10, Uniform(random, -2, 0));
      const double depth = 1e-2 * std::sqrt(area) * std::pow(10, Uniform(random, 0, 2));
      pair.metrics.status = Status::kOk;
      pair.metrics.volume = area * depth;
      pair.metrics.p_WC = 1e-2 * Vec3{x, y, 0.1 * static_cast<double>(a)};
      if (Uniform(random, 0, 1) > settings.undirected) pair.metrics.area_vector = area * n;
      pair.metrics.J_W = (pair.metrics.volume * area / 12) * Mat3::Diagonal({1, 1, 2});
      pairs.push_back(pair);
    }
  }
  return pairs;
}

std::vector<int> Canonical(const std::vector<int>& group_of) {
  std::map<int, int> names;
  std::vector<int> out;
  for (const int g : group_of) {
    out.push_back(names.emplace(g, static_cast<int>(names.size())).first->second);
  }
  return out;
}

Settings AnySettings(Random& random) {
  return {Uniform(random, 0.05, 1), std::pow(10, Uniform(random, -2, 0.5)),
          1 + static_cast<int>(Uniform(random, 0, 5)), Uniform(random, 0, 0.95)};
}

TEST(ManyPairs, GroupingIsThatOfLoopsOverAllPairs) {
  Random random(3);
  int merged = 0, whole = 0, apart = 0, undirected = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const int n = 1 + trial % 6, m = 1 + trial % 11;
    const auto cells_i = Grid(1 + trial % 2, 1 + trial % 3, random);
    const auto cells_j = Grid(n, m, random);
    const testing::TwoBodyRules rules({}, cells_i, cells_j);
    const auto pairs = Overlaps(cells_i.size(), cells_j.size(), m, AnySettings(random), random);
    if (pairs.empty()) continue;
    PatchScratch scratch;
    Grouping grouping;
    Group(rules, pairs, &scratch, &grouping);
    testing::QuadraticPatches slow(rules, pairs);
    const std::vector<int> expected = slow.Group();
    ASSERT_EQ(Canonical(grouping.group_of), Canonical(expected)) << trial;
    ASSERT_EQ(grouping.count,
              1 + *std::max_element(grouping.group_of.begin(), grouping.group_of.end()));
    merged += slow.merged();
    whole += pairs.size() > 5 && grouping.count == 1 ? 1 : 0;
    apart += grouping.count > 5 ? 1 : 0;
    for (const ActivePair& pair : pairs) undirected += SquaredNorm(pair.metrics.area_vector) == 0;
  }
  EXPECT_GT(merged, 300);
  EXPECT_GT(whole, 20);
  EXPECT_GT(apart, 100);
  EXPECT_GT(undirected, 1000);
}

TEST(ManyPairs, JoiningWithinAStepIsThatOfLoopsOverAllPairs) {
  Random random(5);
  int joined = 0, started = 0, refused = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const int n = 2 + trial % 6, m = 1 + trial % 7;
    const auto cells_i = Grid(1, 1 + trial % 3, random);
    const auto cells_j = Grid(n, m, random);
    const testing::TwoBodyRules rules({}, cells_i, cells_j);
    const auto all = Overlaps(cells_i.size(), cells_j.size(), m, AnySettings(random), random);
    std::vector<ActivePair> first, later;
    for (const ActivePair& pair : all) {
      if (Uniform(random, 0, 1) < 0.3) first.push_back(pair);
      if (Uniform(random, 0, 1) < 0.7) later.push_back(pair);
    }
    testing::TwoBodyPatches patches({}, cells_i, cells_j);
    patches.Accept(first, 0);
    std::vector<Contact> contacts = patches.contacts();
    std::vector<Held> held = patches.patches().held;
    const std::size_t before = held.size();
    const std::size_t capacity = contacts.size() + static_cast<std::size_t>(trial % 4) * 2;
    patches.Evaluate(later, capacity);
    testing::QuadraticPatches(rules, later).Join(capacity, &contacts, &held);
    ASSERT_EQ(patches.contacts().size(), contacts.size()) << trial;
    ASSERT_EQ(patches.patches().held.size(), held.size()) << trial;
    for (std::size_t h = 0; h < held.size(); ++h) {
      ASSERT_EQ(patches.patches().held[h].cells, held[h].cells) << trial;
      ASSERT_EQ(patches.patches().held[h].contact, held[h].contact) << trial << " " << h;
    }
    for (const Contact& contact : contacts) started += contact.id == 0 ? 1 : 0;
    joined += static_cast<int>(held.size() - before);
    refused += contacts.size() == capacity ? 1 : 0;
  }
  EXPECT_GT(started, 300);
  EXPECT_GT(joined, started + 500);
  EXPECT_GT(refused, 50);
}

// Ids follow the larger volume; forces and offsets are shared by volume, and none is lost.
TEST(ManyPairs, InheritanceGoesByShareOfVolume) {
  Random random(7);
  int kept = 0, lost = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto cells_i = Grid(1, 1, random), cells_j = Grid(5, 6, random);
    testing::TwoBodyPatches patches({}, cells_i, cells_j);
    const Settings settings = AnySettings(random);
    patches.Accept(Overlaps(1, cells_j.size(), 6, settings, random), 0);
    const auto pairs = Overlaps(1, cells_j.size(), 6, settings, random);
    patches.Evaluate(pairs, 1000);
    for (Contact& contact : patches.contacts()) {
      contact.f_n = Uniform(random, 1, 2);
      contact.accepted.V_o = Uniform(random, 1, 2);
    }
    const std::vector<Contact> old = patches.contacts();
    const std::vector<Held> held = patches.patches().held;
    patches.Accept(pairs, 1);
    // Volume that went from old to new contacts.
    std::map<std::pair<int, int>, double> moved;
    std::map<int, double> left;
    for (const ActivePair& pair : pairs) {
      const auto contact_of = [&](const std::vector<Held>& list) {
        for (const Held& h : list) {
          if (h.cells == CellsOf(pair)) return h.contact;
        }
        return -1;
      };
      const int from = contact_of(held), to = contact_of(patches.patches().held);
      moved[{from, to}] += pair.metrics.volume;
      left[from] += pair.metrics.volume;
    }
    const auto heir = [&](int from) {
      double most = 0;
      int to = -1;
      for (const auto& [way, volume] : moved) {
        if (way.first == from && volume > most) most = volume, to = way.second;
      }
      return to;
    };
    for (std::size_t c = 0; c < patches.contacts().size(); ++c) {
      const Contact& contact = patches.contacts()[c];
      double f_n = 0, V_o = 0, most = 0;
      std::uint64_t id = 0;
      for (const auto& [way, volume] : moved) {
        if (way.second != static_cast<int>(c)) continue;
        const Contact& from = old[static_cast<std::size_t>(way.first)];
        f_n += from.f_n * volume / left[way.first];
        V_o += from.accepted.V_o * volume / left[way.first];
        if (heir(way.first) == static_cast<int>(c) && volume > most) most = volume, id = from.id;
      }
      EXPECT_NEAR(contact.f_n, f_n, 1e-12 * f_n);
      EXPECT_NEAR(contact.accepted.V_o, V_o, 1e-12 * V_o);
      if (id != 0) {
        EXPECT_EQ(contact.id, id) << trial;
      }
      (id != 0 ? kept : lost)++;
      if (c > 0) {
        EXPECT_GT(contact.id, patches.contacts()[c - 1].id);
      }
    }
  }
  EXPECT_GT(kept, 300);
  EXPECT_GT(lost, 50);
}

/** Processor time [s] of a stage, the question of regrouping and an accepted step. */
double TimeOfStep(const std::vector<geometry::Cell>& cells, const std::vector<ActivePair>& pairs,
                  std::size_t contacts) {
  const auto cells_i = std::vector<geometry::Cell>(1);
  double least = 1e9;
  for (int k = 0; k < 3; ++k) {
    testing::TwoBodyPatches patches({}, cells_i, cells);
    const std::clock_t start = std::clock();
    patches.Evaluate(pairs, 1000000);
    EXPECT_FALSE(patches.Regroups(pairs));
    patches.Accept(pairs, 0);
    EXPECT_EQ(patches.contacts().size(), contacts);
    patches.Evaluate(pairs, 1000000);
    EXPECT_FALSE(patches.Regroups(pairs));
    patches.Accept(pairs, 1);
    least = std::fmin(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

/** A floor of n × n tiles, all pressed in; linked or not. */
double TimeOfTiles(int n, bool linked) {
  Random random(9);
  auto cells = Grid(n, n, random);
  if (linked) {
    for (int x = 0; x < n; ++x) {  // what Grid left out, so that it is one patch
      for (int y = 0; y + 1 < n; ++y) {
        auto& near = cells[static_cast<std::size_t>(n * x + y)].neighbours;
        auto& other = cells[static_cast<std::size_t>(n * x + y + 1)].neighbours;
        if (std::find(near.begin(), near.end(), n * x + y + 1) != near.end()) continue;
        near.push_back(n * x + y + 1);
        other.push_back(n * x + y);
      }
    }
    for (geometry::Cell& cell : cells) std::sort(cell.neighbours.begin(), cell.neighbours.end());
  } else {
    for (geometry::Cell& cell : cells) cell.neighbours.clear();
  }
  std::vector<ActivePair> pairs =
      Overlaps(1, cells.size(), n, {1.0, 0.01, 1, linked ? 0.1 : 0.0}, random);
  const auto count = static_cast<std::size_t>(n * n);
  return TimeOfStep(cells, pairs, linked ? 1 : count);
}

TEST(ManyPairs, TimeFollowsTheirNumber) {
  for (const bool linked : {true, false}) {
    // Twenty-five times the pairs: about 35 times the time, where loops over all take 600.
    const double few = TimeOfTiles(20, linked), many = TimeOfTiles(100, linked);
    EXPECT_LT(many, 300 * few + 1e-3) << linked;
    EXPECT_LT(many, 0.5) << linked;
    std::printf("%d: %g ms for 400, %g ms for 10,000\n", linked, 1e3 * few, 1e3 * many);
  }
}

}  // namespace
}  // namespace intervox::host
