#include "geometry/solid.h"

#include <algorithm>
#include <limits>

#include "geometry/make_surface.h"
#include "geometry/node.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/** Merges stretches that overlap or touch; input ascending in lo. */
std::vector<SolidSpan> Merge(std::vector<SolidSpan> spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const SolidSpan& a, const SolidSpan& b) { return a.lo < b.lo; });
  std::vector<SolidSpan> merged;
  for (const SolidSpan& s : spans) {
    const double seam = 1e-12 * (std::abs(s.lo) + (s.hi - s.lo));
    if (merged.empty() || s.lo > merged.back().hi + seam) {
      merged.push_back(s);
    } else if (s.hi > merged.back().hi) {
      merged.back().hi = s.hi;
      merged.back().exit_normal = s.exit_normal;
      merged.back().exit_node = s.exit_node;
    }
  }
  return merged;
}

std::vector<SolidSpan> Common(const std::vector<SolidSpan>& a, const std::vector<SolidSpan>& b) {
  std::vector<SolidSpan> out;
  for (const SolidSpan& s : a) {
    for (const SolidSpan& t : b) {
      SolidSpan c = s;
      if (t.lo > c.lo) c.lo = t.lo, c.entry_normal = t.entry_normal, c.entry_node = t.entry_node;
      if (t.hi < c.hi) c.hi = t.hi, c.exit_normal = t.exit_normal, c.exit_node = t.exit_node;
      if (c.lo < c.hi) out.push_back(c);
    }
  }
  return out;
}

/** The gaps of ascending stretches; normals turn round. */
std::vector<SolidSpan> Gaps(const std::vector<SolidSpan>& spans, double t_min, double t_max) {
  std::vector<SolidSpan> gaps;
  SolidSpan gap;
  gap.lo = t_min;
  for (const SolidSpan& s : spans) {
    gap.hi = s.lo;
    gap.exit_normal = -s.entry_normal;
    gap.exit_node = s.entry_node;
    if (gap.lo < gap.hi) gaps.push_back(gap);
    gap.lo = s.hi;
    gap.entry_normal = -s.exit_normal;
    gap.entry_node = s.exit_node;
  }
  gap.hi = t_max;
  gap.exit_normal = {};
  gap.exit_node = -1;
  if (gap.lo < gap.hi) gaps.push_back(gap);
  return gaps;
}

}  // namespace

Solid::Solid(const Shape& shape) { Add(shape, Pose::Identity(), 1.0, ""); }

int Solid::Add(const Shape& shape, const Pose& X, double scale, const std::string& place) {
  const std::string here = NodePlace(shape, place);
  CheckNode(shape, here);
  if (shape.operation == Operation::kGrid) {
    throw std::invalid_argument(here + ": grids have no rays yet. Name the shape it was made of.");
  }
  const int node = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  nodes_[node].operation = shape.operation;
  nodes_[node].index = node;
  const Pose X_node{X.R * shape.X.R, X.R * (scale * shape.X.p) + X.p};
  const double s = scale * shape.scale;
  if (shape.operation == Operation::kPrimitive) {
    for (SurfaceList& piece : ToPieces(shape.primitive, here)) {
      for (Surface& S : piece) {
        S = X_node * ScaledBy(S, s);
        S.node = node;
      }
      nodes_[node].pieces.push_back(MakeCell(std::move(piece), NodeLabel(shape)));
    }
    return node;
  }
  for (const ShapePtr& child : shape.children) {
    const int added = Add(*child, X_node, s, here);
    nodes_[node].children.push_back(added);
  }
  return node;
}

Solid::Decided Solid::Decide(int node, const Vec3& p) const {
  const Node& n = nodes_[node];
  Decided best;
  if (n.operation == Operation::kPrimitive) {
    // Cut planes choose the piece; they are no faces of the primitive.
    best.level = kInfinity;
    for (const Cell& piece : n.pieces) {
      Decided d{-kInfinity, nullptr, 1.0};
      bool chosen = true;
      for (const Surface& S : piece.surfaces) {
        const double level = geometry::Level(S, p);
        if (S.cut) {
          chosen = chosen && level <= 0;
        } else if (level > d.level) {
          d = {level, &S, static_cast<double>(S.side)};
        }
      }
      if (chosen && d.level < best.level) best = d;
    }
    return best;
  }
  best = Decide(n.children.front(), p);
  for (std::size_t k = 1; k < n.children.size(); ++k) {
    Decided d = Decide(n.children[k], p);
    if (n.operation == Operation::kDifference) d = {-d.level, d.surface, -d.sign};
    const bool lower = d.level < best.level;
    if (n.operation == Operation::kUnion ? lower : d.level > best.level) best = d;
  }
  return best;
}

double Solid::Level(const Vec3& p) const { return Decide(0, p).level; }

Vec3 Solid::Gradient(const Vec3& p) const {
  const Decided d = Decide(0, p);
  return d.surface ? d.sign * geometry::Gradient(*d.surface, p) : Vec3{};
}

std::vector<SolidSpan> Solid::Spans(int node, const Vec3& origin, const Vec3& direction,
                                    double t_min, double t_max) const {
  const Node& n = nodes_[node];
  if (n.operation == Operation::kPrimitive) {
    std::vector<SolidSpan> spans;
    for (const Cell& piece : n.pieces) {
      for (const RaySpan& r : geometry::RaySpans(piece, origin, direction, t_min, t_max)) {
        SolidSpan s{r.lo, r.hi, {}, {}, -1, -1};
        const auto normal = [&](int surface, double t) {
          return OutwardNormal(piece.surfaces[surface], origin + t * direction);
        };
        if (r.entry >= 0) s.entry_normal = normal(r.entry, r.lo), s.entry_node = n.index;
        if (r.exit >= 0) s.exit_normal = normal(r.exit, r.hi), s.exit_node = n.index;
        spans.push_back(s);
      }
    }
    return Merge(std::move(spans));
  }
  std::vector<SolidSpan> spans = Spans(n.children.front(), origin, direction, t_min, t_max);
  for (std::size_t k = 1; k < n.children.size(); ++k) {
    std::vector<SolidSpan> next = Spans(n.children[k], origin, direction, t_min, t_max);
    if (n.operation == Operation::kUnion) {
      spans.insert(spans.end(), next.begin(), next.end());
      spans = Merge(std::move(spans));
    } else if (n.operation == Operation::kIntersection) {
      spans = Common(spans, next);
    } else {
      spans = Common(spans, Gaps(next, t_min, t_max));
    }
  }
  return spans;
}

std::vector<SolidSpan> Solid::RaySpans(const Vec3& origin, const Vec3& direction, double t_min,
                                       double t_max) const {
  return Spans(0, origin, direction, t_min, t_max);
}

Aabb Solid::NodeBounds(int node, const Pose& X_WS) const {
  const Node& n = nodes_[node];
  if (n.operation == Operation::kPrimitive) return BoundsInPose(n.pieces, X_WS);
  Aabb box = NodeBounds(n.children.front(), X_WS);
  for (std::size_t k = 1; k < n.children.size() && n.operation != Operation::kDifference; ++k) {
    const Aabb b = NodeBounds(n.children[k], X_WS);
    const bool add = n.operation == Operation::kUnion;
    box.lower = add ? Min(box.lower, b.lower) : Max(box.lower, b.lower);
    box.upper = add ? Max(box.upper, b.upper) : Min(box.upper, b.upper);
  }
  return box;
}

Aabb Solid::Bounds(const Pose& X_WS) const { return NodeBounds(0, X_WS); }

double Level(const Cell& cell, const Vec3& p) {
  double level = -kInfinity;
  for (const Surface& S : cell.surfaces) level = std::max(level, Level(S, p));
  return level;
}

bool Contains(const Cell& cell, const Vec3& p) { return Level(cell, p) <= 0; }

double Level(const Shape& shape, const Vec3& p) { return Solid(shape).Level(p); }

bool Contains(const Shape& shape, const Vec3& p) { return Solid(shape).Contains(p); }

}  // namespace intervox::geometry
