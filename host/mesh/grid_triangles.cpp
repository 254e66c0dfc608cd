#include "host/mesh/grid_triangles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "geometry/grid/level_set.h"
#include "geometry/grid/six_tetrahedra.h"

namespace intervox::host {
namespace {

using geometry::GridView;
using geometry::kBlockEdge;

/** Nodes are this far from the surface at least [voxels], or by this share of their coordinates:
 vertices on edges of one node stay apart then, in single precision, too. */
constexpr double kLeastLevel = 1e-4, kLeastShare = 0x1p-18;
/** Beyond this [voxels] nothing stays apart in single precision, and nodes stay where they are. */
constexpr double kMostLevel = 0.1;
/** Normals of the field that are farther from a triangle's stand at an edge of the solid. */
constexpr double kSharpCosine = 0.86602540378443865;

/** Two nodes by their numbers, the lower one first. */
struct Edge {
  std::int64_t a = 0, b = 0;
  bool operator==(const Edge&) const = default;
};

struct EdgeHash {
  std::size_t operator()(const Edge& e) const {
    return static_cast<std::size_t>(e.a) * 0x9E3779B97F4A7C15u ^
           static_cast<std::size_t>(e.b - e.a) * 0xC2B2AE3D27D4EB4Fu;
  }
};

struct Node {
  std::array<int, 3> at{};
  double level = 0;
};

class Builder {
 public:
  Builder(const geometry::GridPart& part, Triangles* out)
      : part_(part), view_(part.field->View()), out_(*out), least_(LeastLevel(part, view_)) {}

  void Run() {
    const geometry::LevelSet& field = *part_.field;
    for (int i = part_.lower[0]; i < part_.upper[0]; ++i) {
      for (int j = part_.lower[1]; j < part_.upper[1]; ++j) {
        for (int k = part_.lower[2]; k < part_.upper[2]; ++k) {
          const int place = (i * field.size[1] + j) * field.size[2] + k;
          const std::int32_t block = field.places[static_cast<std::size_t>(place)];
          if (block >= 0) AddBlock({i, j, k}, block);
        }
      }
    }
  }

 private:
  void AddBlock(const std::array<int, 3>& place, std::int32_t block) {
    const float* f = view_.nodes + static_cast<std::int64_t>(block) * geometry::kBlockNodes;
    for (int n = 0; n < kBlockEdge * kBlockEdge * kBlockEdge; ++n) {
      const std::array<int, 3> in{n / (kBlockEdge * kBlockEdge), n / kBlockEdge % kBlockEdge,
                                  n % kBlockEdge};
      std::array<Node, 8> nodes;
      int inside = 0;
      for (int c = 0; c < 8; ++c) {
        const int o[3] = {c >> 2, c >> 1 & 1, c & 1};
        Node& node = nodes[static_cast<std::size_t>(c)];
        for (std::size_t axis = 0; axis < 3; ++axis) {
          node.at[axis] = view_.origin[axis] + kBlockEdge * place[axis] + in[axis] + o[axis];
        }
        node.level =
            f[((in[0] + o[0]) * geometry::kBlockSide + in[1] + o[1]) * geometry::kBlockSide +
              in[2] + o[2]];
        if (node.level <= 0) {
          ++inside;
          node.level = std::min(node.level, -least_);
        } else {
          node.level = std::max(node.level, least_);
        }
      }
      if (inside > 0 && inside < 8) AddVoxel(nodes);
    }
  }

  void AddVoxel(const std::array<Node, 8>& nodes) {
    constexpr int kBit[3] = {4, 2, 1};
    int from = 0;  // the corner whose numbers are even
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if ((nodes[0].at[axis] & 1) != 0) from |= kBit[axis];
    }
    for (int t = 0; t < geometry::kTetrahedra; ++t) {
      const auto& axis = geometry::StepsOf(t).axis;
      const int n1 = from ^ kBit[axis[0]], n2 = n1 ^ kBit[axis[1]], n3 = n2 ^ kBit[axis[2]];
      const auto node = [&](int c) { return &nodes[static_cast<std::size_t>(c)]; };
      AddTetrahedron({node(from), node(n1), node(n2), node(n3)});
    }
  }

  void AddTetrahedron(const std::array<const Node*, 4>& nodes) {
    std::array<const Node*, 4> order{};
    std::size_t inside = 0, beyond = 4;
    for (const Node* node : nodes) (node->level <= 0 ? order[inside++] : order[--beyond]) = node;
    if (inside == 0 || inside == 4) return;
    // Away from what is inside.
    Vec3 in, out;
    for (std::size_t n = 0; n < 4; ++n) {
      const Vec3 x = PlaceOf(*order[n]);
      (n < inside ? in : out) += x / static_cast<double>(n < inside ? inside : 4 - inside);
    }
    const auto vertex = [&](std::size_t a, std::size_t b) {
      return VertexOn(*order[a], *order[b]);
    };
    if (inside == 1) {
      AddTriangle({vertex(0, 1), vertex(0, 2), vertex(0, 3)}, out - in);
    } else if (inside == 3) {
      AddTriangle({vertex(0, 3), vertex(1, 3), vertex(2, 3)}, out - in);
    } else {
      const std::array<int, 4> v{vertex(0, 2), vertex(1, 2), vertex(1, 3), vertex(0, 3)};
      AddTriangle({v[0], v[1], v[2]}, out - in);
      AddTriangle({v[0], v[2], v[3]}, out - in);
    }
  }

  /** By the farthest node's coordinates in the cell's frame. */
  static double LeastLevel(const geometry::GridPart& part, const GridView& view) {
    double most = Norm(part.X_CG.p) / part.voxel_size;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double first = view.origin[axis], last = first + kBlockEdge * view.size[axis];
      most = std::max({most, std::fabs(first), std::fabs(last)});
    }
    const double share = kLeastShare * most;
    return share < kMostLevel ? std::max(kLeastLevel, share) : kLeastLevel;
  }

  static Vec3 PlaceOf(const Node& node) {
    return {static_cast<double>(node.at[0]), static_cast<double>(node.at[1]),
            static_cast<double>(node.at[2])};
  }

  std::int64_t NumberOf(const Node& node) const {
    std::int64_t number = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      number = number * (kBlockEdge * view_.size[axis] + 1) + node.at[axis] - view_.origin[axis];
    }
    return number;
  }

  int VertexOn(const Node& p, const Node& q) {
    Edge edge{NumberOf(p), NumberOf(q)};
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
    const auto [entry, fresh] = vertices_.try_emplace(edge, static_cast<int>(out_.p.size()));
    if (fresh) {
      const double t = p.level / (p.level - q.level);
      const Vec3 u = PlaceOf(p) + t * (PlaceOf(q) - PlaceOf(p));
      out_.p.push_back(part_.X_CG * (part_.voxel_size * u));
      const geometry::LevelAt at = geometry::Evaluate(view_, u);
      normals_.push_back(part_.X_CG.R * at.gradient);
      out_.deviation = std::max(out_.deviation, part_.voxel_size * std::fabs(at.value));
    }
    return entry->second;
  }

  void AddTriangle(std::array<int, 3> v, const Vec3& outwards) {
    const auto point = [&](std::size_t i) { return out_.p[static_cast<std::size_t>(v[i])]; };
    Vec3 area = Cross(point(1) - point(0), point(2) - point(0));
    if (Dot(area, part_.X_CG.R * outwards) < 0) {
      std::swap(v[1], v[2]);
      area = -area;
    }
    const Vec3 flat = Norm(area) > 0 ? Normalized(area) : Normalized(part_.X_CG.R * outwards);
    std::array<Vec3, 3> normals;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3& n = normals_[static_cast<std::size_t>(v[i])];
      const double length = Norm(n);
      const bool smooth = length > 0 && Dot(n, flat) > kSharpCosine * length;
      normals[i] = smooth ? n / length : flat;
    }
    out_.triangles.push_back(v);
    out_.normals.push_back(normals);
    out_.faces.push_back(0);
  }

  const geometry::GridPart& part_;
  GridView view_;
  Triangles& out_;
  double least_;
  std::unordered_map<Edge, int, EdgeHash> vertices_;
  std::vector<Vec3> normals_;  // of the field at the vertices
};

}  // namespace

Triangles TrianglesOfGrid(const geometry::GridPart& part) {
  Triangles out;
  Builder(part, &out).Run();
  return out;
}

}  // namespace intervox::host
