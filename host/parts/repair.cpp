#include "host/parts/repair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "host/parts/convex_shell.h"
#include "host/parts/corners.h"
#include "host/parts/defects.h"
#include "host/parts/edges.h"
#include "host/parts/holes.h"
#include "host/parts/nesting.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

/** How often something was done, and where first. */
struct Tally {
  int count = 0;
  Vec3 where;

  void Add(const Vec3& at) {
    if (count++ == 0) where = at;
  }
};

/** The mended mesh and what was done to it. */
class Mender {
 public:
  explicit Mender(TriangleMesh* mesh) : mesh_(*mesh) {}

  void DropDegenerate() {
    Tally dropped;
    std::erase_if(mesh_.triangles, [&](const std::array<int, 3>& t) {
      if (HasCornerTwice(t)) dropped.Add(mesh_.p[t[0]]);
      return HasCornerTwice(t);
    });
    Say(dropped, "degenerate triangle dropped", "degenerate triangles dropped");
  }

  void JoinNearVertices();
  void DropDouble();
  void TurnToAgree();

  void Close() {
    const ClosedHoles closed = CloseHoles(&mesh_);
    if (closed.holes == 0) return;
    done_.push_back(std::to_string(closed.holes) + (closed.holes == 1 ? " hole" : " holes") +
                    " closed by " + std::to_string(closed.triangles) +
                    (closed.triangles == 1 ? " triangle" : " triangles") + ", the widest " +
                    Text(closed.widest) + " across at " + Text(closed.where));
  }

  void DropFlat();
  void TurnInverted();

  std::vector<std::string> Take() { return std::move(done_); }

 private:
  void Say(const Tally& tally, const std::string& one, const std::string& many) {
    if (tally.count == 0) return;
    done_.push_back(std::to_string(tally.count) + " " + (tally.count == 1 ? one : many) +
                    (tally.count == 1 ? " at " : ", the first at ") + Text(tally.where));
  }

  TriangleMesh& mesh_;
  std::vector<std::string> done_;
};

/** Joins vertices of open edges that lie within the rounding of files. */
void Mender::JoinNearVertices() {
  if (mesh_.triangles.empty()) return;
  const double reach = ConvexTolerance(mesh_);
  std::vector<int> open;
  ForEachEdge(SortedEdges(mesh_), [&](std::span<const HalfEdge> edge) {
    if (edge.size() != 1) return;
    open.push_back(edge[0].lower);
    open.push_back(edge[0].upper);
  });
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());
  std::stable_sort(open.begin(), open.end(),
                   [&](int a, int b) { return mesh_.p[a].x < mesh_.p[b].x; });
  std::vector<int> is(mesh_.p.size());
  std::iota(is.begin(), is.end(), 0);
  Tally joined;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Vec3& p = mesh_.p[open[i]];
    for (std::size_t j = i; j-- > 0 && p.x - mesh_.p[open[j]].x <= reach;) {
      if (is[open[j]] != open[j] || !(Norm(p - mesh_.p[open[j]]) <= reach)) continue;
      is[open[i]] = open[j];
      joined.Add(p);
      break;
    }
  }
  if (joined.count == 0) return;
  for (auto& t : mesh_.triangles) {
    for (int& v : t) v = is[v];
  }
  Say(joined, "vertex of an open edge joined with a near one",
      "vertices of open edges joined with near ones");
  std::erase_if(mesh_.triangles, HasCornerTwice);
}

void Mender::DropDouble() {
  // Of triangles with the same corners, those that face opposite ways go in pairs.
  const std::vector<int> order = ByCorners(mesh_);
  std::vector<bool> goes(order.size(), false);
  for (std::size_t k = 0; k < order.size();) {
    std::size_t end = k;
    int sum = 0;
    for (; end < order.size() &&
           Sorted(mesh_.triangles[order[end]]) == Sorted(mesh_.triangles[order[k]]);
         ++end) {
      sum += IsEven(mesh_.triangles[order[end]]) ? 1 : -1;
      goes[order[end]] = true;
    }
    for (std::size_t j = k; j < end && sum != 0; ++j) {
      if (IsEven(mesh_.triangles[order[j]]) != (sum > 0)) continue;
      goes[order[j]] = false;
      break;
    }
    k = end;
  }
  Tally dropped;
  std::vector<std::array<int, 3>> kept;
  for (std::size_t t = 0; t < goes.size(); ++t) {
    if (goes[t]) {
      dropped.Add(mesh_.p[mesh_.triangles[t][0]]);
    } else {
      kept.push_back(mesh_.triangles[t]);
    }
  }
  mesh_.triangles = std::move(kept);
  Say(dropped, "double triangle dropped", "double triangles dropped");
}

/** Turns triangles, shell by shell, until neighbours agree where they can. A shell keeps the
 direction that most of its triangles had. */
void Mender::TurnToAgree() {
  std::vector<std::vector<std::pair<int, bool>>> beside(mesh_.triangles.size());
  ForEachEdge(SortedEdges(mesh_), [&](std::span<const HalfEdge> edge) {
    if (edge.size() != 2) return;
    const bool agree = edge[0].is_upward != edge[1].is_upward;
    beside[edge[0].triangle].emplace_back(edge[1].triangle, agree);
    beside[edge[1].triangle].emplace_back(edge[0].triangle, agree);
  });
  std::vector<int> turn(mesh_.triangles.size(), -1);
  Tally turned;
  for (int first = 0; first < static_cast<int>(turn.size()); ++first) {
    if (turn[first] >= 0) continue;
    std::vector<int> shell{first};
    turn[first] = 0;
    for (std::size_t k = 0; k < shell.size(); ++k) {
      const int t = shell[k];
      for (const auto& [other, agree] : beside[t]) {
        if (turn[other] >= 0) continue;
        turn[other] = agree ? turn[t] : 1 - turn[t];
        shell.push_back(other);
      }
    }
    const auto ones =
        std::count_if(shell.begin(), shell.end(), [&](int t) { return turn[t] == 1; });
    const int rare = 2 * ones > static_cast<std::ptrdiff_t>(shell.size()) ? 0 : 1;
    for (const int t : shell) {
      if (turn[t] != rare) continue;
      std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
      turned.Add(mesh_.p[mesh_.triangles[t][0]]);
    }
  }
  Say(turned, "triangle turned", "triangles turned");
}

/** Drops closed surfaces that are thinner than the rounding of files. */
void Mender::DropFlat() {
  if (mesh_.triangles.empty()) return;
  const double thin = ConvexTolerance(mesh_);
  Tally dropped;
  TriangleMesh kept;
  for (const TriangleMesh& shell : Shells(mesh_)) {
    double area = 0;
    for (const auto& t : shell.triangles) {
      area += 0.5 * Norm(Cross(shell.p[t[1]] - shell.p[t[0]], shell.p[t[2]] - shell.p[t[0]]));
    }
    if (std::abs(EnclosedVolume(shell)) <= thin * area) {
      dropped.Add(shell.p.front());
    } else {
      Append(shell, &kept);
    }
  }
  if (dropped.count == 0) return;
  mesh_ = std::move(kept);
  Say(dropped, "surface that encloses nothing dropped", "surfaces that enclose nothing dropped");
}

void Mender::TurnInverted() {
  Tally turned;
  const auto turn = [&](TriangleMesh* shell) {
    for (auto& t : shell->triangles) std::swap(t[1], t[2]);
    turned.Add(shell->p[shell->triangles[0][0]]);
  };
  if (mesh_.triangles.empty()) return;
  if (EnclosedVolume(mesh_) < 0) turn(&mesh_);
  std::vector<TriangleMesh> shells = Shells(mesh_);
  const std::vector<int> free = FreeInwardShells(shells);
  if (!free.empty()) {
    for (const int s : free) turn(&shells[s]);
    mesh_ = {};
    for (const TriangleMesh& shell : shells) Append(shell, &mesh_);
  }
  Say(turned, "surface turned inside out", "surfaces turned inside out");
}

}  // namespace

std::vector<std::string> RepairMesh(TriangleMesh* mesh) {
  Mender mender(mesh);
  mender.DropDegenerate();
  mender.JoinNearVertices();
  mender.DropDouble();
  mender.TurnToAgree();
  mender.Close();
  mender.DropFlat();
  mender.TurnInverted();
  return mender.Take();
}

}  // namespace intervox::host
