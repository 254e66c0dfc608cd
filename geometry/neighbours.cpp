#include "geometry/neighbours.h"

#include <algorithm>
#include <cmath>

#include "geometry/bounds.h"
#include "geometry/decompose.h"
#include "geometry/faces.h"
#include "geometry/interior.h"

namespace intervox::geometry {
namespace {

/** Boxes looked at when cells are compared. */
constexpr int kOverlapBudget = 20000;

/** One kind of a circular surface, one side kept: never opposite sides of one surface. */
bool SameKindAndSide(const Surface& S, const Surface& T) {
  return S.kind == T.kind && S.side == T.side && S.kind != SurfaceKind::kPlane &&
         S.kind != SurfaceKind::kQuadric;
}

/** Whether a surface may bound what lies in a box: of planes it is told at once. */
bool Reaches(const Surface& S, const Aabb& box) {
  if (S.kind != SurfaceKind::kPlane) return true;
  const Vec3 n = S.PlaneNormal();
  const double reach = Dot(Abs(n), 0.5 * (box.upper - box.lower));
  return !(std::abs(Dot(n, 0.5 * (box.lower + box.upper) - S.o)) > reach);
}

/** Less than this share of a cell's size is no width of a face. It is a hundredth of the depth that
 a point in a face has in its cell, because the level of a needle is steeper than its distance. */
constexpr double kNoWidth = 1e-2 * kTouchingDepth;

/** What two boxes share has no width along two axes: an edge or a point, whatever is in them.
 @param grown  by how much the boxes were grown together [m] */
bool MeetInEdge(const Aabb& common, double grown, double size) {
  const Vec3 extent = common.upper - common.lower;
  const double none = grown + kNoWidth * size;
  return (extent.x <= none ? 1 : 0) + (extent.y <= none ? 1 : 0) + (extent.z <= none ? 1 : 0) > 1;
}

/** Links two cells across each surface that they share.
 @param common  a box around what both hold */
void Link(std::vector<Cell>& cells, int a, int b, const Aabb& common) {
  Cell& A = cells[static_cast<std::size_t>(a)];
  Cell& B = cells[static_cast<std::size_t>(b)];
  const double of_A = SizeOf(A), of_B = SizeOf(B), size = std::min(of_A, of_B);
  if (MeetInEdge(common, kTouchingDepth * (of_A + of_B), size)) return;
  bool touching = false;
  for (std::size_t i = 0; i < A.surfaces.size(); ++i) {
    if (!Reaches(A.surfaces[i], common)) continue;
    for (std::size_t j = 0; j < B.surfaces.size(); ++j) {
      const Surface &S = A.surfaces[i], &T = B.surfaces[j];
      if (ClearlyDiffer(S, T)) continue;
      if (SameKindAndSide(S, T) || Coincide(S, T, A.bounds.X.p, size) != Coincidence::kOpposite ||
          !Touch(A, i, B, j, common, kTouchingDepth * size)) {
        continue;
      }
      touching = true;
      if (FaceWithin(A, i, B, j, size) && FaceWithin(B, j, A, i, size)) {
        A.surfaces[i].cut = true;
        B.surfaces[j].cut = true;
      }
    }
  }
  if (!touching) return;
  A.neighbours.push_back(b);
  B.neighbours.push_back(a);
}

/** The cells' boxes, grown by a share of the cells' sizes. */
std::vector<Aabb> BoxesOf(std::span<const Cell> cells, double share) {
  std::vector<Aabb> boxes;
  boxes.reserve(cells.size());
  for (const Cell& cell : cells) {
    const Aabb box = BoundsInPose(cell, Pose::Identity());
    const double margin = share * SizeOf(cell);
    const Vec3 grown{margin, margin, margin};
    boxes.push_back({box.lower - grown, box.upper + grown});
  }
  return boxes;
}

}  // namespace

void LinkNeighbours(std::vector<Cell>& cells) {
  Effort effort;
  LinkNeighbours(cells, &effort);
}

void LinkNeighbours(std::vector<Cell>& cells, Effort* effort) {
  for (Cell& cell : cells) {
    cell.neighbours.clear();
    for (Surface& S : cell.surfaces) S.cut = false;
  }
  const std::vector<Aabb> boxes = BoxesOf(cells, kTouchingDepth);
  for (const auto& [a, b] : NearPairs(boxes)) {
    ++effort->pairs;
    const Aabb& A = boxes[static_cast<std::size_t>(a)];
    const Aabb& B = boxes[static_cast<std::size_t>(b)];
    Link(cells, a, b, {Max(A.lower, B.lower), Min(A.upper, B.upper)});
  }
  for (Cell& cell : cells) std::sort(cell.neighbours.begin(), cell.neighbours.end());
}

bool IsInside(std::span<const Cell> cells, std::size_t a, std::size_t i) {
  const Cell& A = cells[a];
  if (A.surfaces[i].cut) return true;
  return std::any_of(A.neighbours.begin(), A.neighbours.end(), [&](int b) {
    const Cell& B = cells[static_cast<std::size_t>(b)];
    const double size = std::min(SizeOf(A), SizeOf(B));
    for (std::size_t j = 0; j < B.surfaces.size(); ++j) {
      if (SameKindAndSide(A.surfaces[i], B.surfaces[j])) continue;
      if (Coincide(A.surfaces[i], B.surfaces[j], A.bounds.X.p, size) == Coincidence::kOpposite &&
          FaceWithin(A, i, B, j, size)) {
        return true;
      }
    }
    return false;
  });
}

std::optional<std::pair<int, int>> FindOverlap(std::span<const Cell> cells) {
  for (const auto& [a, b] : NearPairs(BoxesOf(cells, 0.0))) {
    const Cell& A = cells[static_cast<std::size_t>(a)];
    const Cell& B = cells[static_cast<std::size_t>(b)];
    std::vector<Surface> both = A.surfaces;
    both.insert(both.end(), B.surfaces.begin(), B.surfaces.end());
    const double depth = kTouchingDepth * std::min(SizeOf(A), SizeOf(B));
    if (FindInterior(both, depth, kOverlapBudget).verdict == Interior::kFound) {
      return std::pair(a, b);
    }
  }
  return std::nullopt;
}

std::vector<Cell> Halves(const Cell& cell, const Surface& plane) {
  Effort effort;
  const RawCell whole = RawCellOf(cell);
  const std::vector<RawCell> halves = Halves(whole, plane, &effort);
  if (halves.size() == 1) return {cell};
  std::vector<Cell> parts;
  for (const RawCell& half : halves) {
    parts.push_back(MakeCell(half.surfaces, half.name));
    parts.back().node = cell.node;
  }
  return parts;
}

}  // namespace intervox::geometry
