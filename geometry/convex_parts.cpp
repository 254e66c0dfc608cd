#include "geometry/convex_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "geometry/bounds.h"
#include "geometry/faces.h"
#include "geometry/interior.h"
#include "geometry/make_surface.h"
#include "geometry/neighbours.h"
#include "geometry/polytope.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

constexpr std::size_t kMostPieces = 64, kMostPlanes = 32;
/** Shares of the solid's volume and of a face's area below which something is nothing. */
constexpr double kNoVolume = 1e-10, kNoArea = 1e-9;

using Polygon = std::vector<Vec3>;

/** Twice the area vector of a polygon. */
Vec3 AreaVector(const Polygon& p) {
  Vec3 sum;
  for (std::size_t k = 2; k < p.size(); ++k) sum += Cross(p[k - 1] - p[0], p[k] - p[0]);
  return sum;
}

double VolumeOf(const Cell& cell) {
  double sum = 0.0;
  const Vec3 o = cell.corners.p_C[0];
  for (const FacePolygon& face : cell.faces) {
    sum += Dot(AreaVector(face.p_C), face.p_C[0] - o) / 6.0;
  }
  return sum;
}

/** What is left of polygons outside a neighbour whose surface j lies against them. */
std::vector<Polygon> Uncovered(const std::vector<Polygon>& polygons, const Cell& B, std::size_t j) {
  std::vector<Polygon> out;
  for (Polygon rest : polygons) {
    for (std::size_t k = 0; k < B.surfaces.size() && !rest.empty(); ++k) {
      if (k == j) continue;
      const PlaneCut cut = ToCut(B.surfaces[k], -1);
      Polygon beyond = ClipPolygon(rest, -cut.n, -cut.d, 0.0);
      if (beyond.size() > 2) out.push_back(std::move(beyond));
      rest = ClipPolygon(rest, cut.n, cut.d, 0.0);
    }
  }
  return out;
}

/** Whether some of a face is on the surface of the solid: no neighbours cover all of it. */
bool IsOutside(std::span<const Cell> cells, const Cell& A, const FacePolygon& face) {
  const Surface& S = A.surfaces[static_cast<std::size_t>(face.surface)];
  std::vector<Polygon> left{face.p_C};
  for (const int b : A.neighbours) {
    const Cell& B = cells[static_cast<std::size_t>(b)];
    const double size = std::min(SizeOf(A), SizeOf(B));
    for (std::size_t j = 0; j < B.surfaces.size(); ++j) {
      if (Coincide(S, B.surfaces[j], A.bounds.X.p, size) != Coincidence::kOpposite) continue;
      left = Uncovered(left, B, j);
    }
  }
  double area = 0.0;
  for (const Polygon& p : left) area += Norm(AreaVector(p));
  return area > kNoArea * Norm(AreaVector(face.p_C));
}

/** The planes of the solid's faces, each once, its kept side that of one of them. */
std::vector<Surface> OuterPlanes(std::span<const Cell> cells) {
  std::vector<Surface> planes;
  for (const Cell& A : cells) {
    for (const FacePolygon& face : A.faces) {
      const Surface& S = A.surfaces[static_cast<std::size_t>(face.surface)];
      const bool known = std::any_of(planes.begin(), planes.end(), [&](const Surface& T) {
        return Coincide(S, T, A.bounds.X.p, SizeOf(A)) != Coincidence::kNone;
      });
      if (!known && IsOutside(cells, A, face)) planes.push_back(S);
    }
  }
  for (Surface& S : planes) S.cut = false;
  std::sort(planes.begin(), planes.end(), [](const Surface& S, const Surface& T) {
    const Vec3 m = S.PlaneNormal(), n = T.PlaneNormal();
    if (m.x != n.x) return m.x < n.x;
    if (m.y != n.y) return m.y < n.y;
    return m.z != n.z ? m.z < n.z : Dot(m, S.o) < Dot(n, T.o);
  });
  return planes;
}

/** A piece of the solid that no plane divides. */
struct Piece {
  std::uint32_t sides = 0;  ///< bit k: beyond plane k
  double volume = 0.0;
};

/** A convex part as a choice of half-spaces: those of these planes, on the piece's sides. */
struct Choice {
  std::uint32_t planes = 0;
  std::uint32_t sides = 0;
  bool Holds(const Piece& piece) const { return ((piece.sides ^ sides) & planes) == 0; }
};

/** The solid in pieces; empty where there are too many. */
std::vector<Piece> PiecesOf(std::span<const Cell> cells, const std::vector<Surface>& planes) {
  std::vector<Cell> parts(cells.begin(), cells.end());
  for (const Surface& plane : planes) {
    std::vector<Cell> next;
    for (const Cell& part : parts) {
      for (Cell& half : Halves(part, plane)) next.push_back(std::move(half));
    }
    // What was cut otherwise may be in more pieces than the solid has.
    if (next.size() > 2 * kMostPieces) return {};
    parts = std::move(next);
  }
  std::vector<Piece> pieces;
  for (const Cell& part : parts) {
    if (part.corners.p_C.empty()) return {};
    Piece piece{0, VolumeOf(part)};
    const Vec3 middle = Mean(part.corners.p_C);
    for (std::size_t k = 0; k < planes.size(); ++k) {
      if (Level(planes[k], middle) > 0.0) piece.sides |= std::uint32_t{1} << k;
    }
    const auto known = std::find_if(pieces.begin(), pieces.end(),
                                    [&](const Piece& p) { return p.sides == piece.sides; });
    if (known != pieces.end()) {
      known->volume += piece.volume;
    } else {
      pieces.push_back(piece);
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& p, const Piece& q) { return p.sides < q.sides; });
  return pieces.size() > kMostPieces ? std::vector<Piece>{} : pieces;
}

/** The largest convex parts of some pieces between planes. */
class Growing {
 public:
  Growing(const std::vector<Surface>& planes, const std::vector<Piece>& pieces)
      : planes_(planes), pieces_(pieces) {}

  /** Takes away the planes of a piece one by one, as long as what they bound then is solid: always
   the one that gains most. */
  Choice From(const Piece& piece) const {
    Choice choice{static_cast<std::uint32_t>((std::uint64_t{1} << planes_.size()) - 1),
                  piece.sides};
    for (;;) {
      std::vector<std::pair<double, Choice>> larger;
      const double now = VolumeIn(choice);
      for (std::size_t k = 0; k < planes_.size(); ++k) {
        Choice without = choice;
        without.planes &= ~(std::uint32_t{1} << k);
        if (without.planes == choice.planes) continue;
        const double volume = VolumeIn(without);
        if (volume > (1.0 + kNoVolume) * now) larger.emplace_back(volume, without);
      }
      std::stable_sort(larger.begin(), larger.end(), [](const auto& one, const auto& two) {
        return one.first > (1.0 + kNoVolume) * two.first;
      });
      const auto next = std::find_if(larger.begin(), larger.end(),
                                     [&](const auto& it) { return IsSolid(it.second, it.first); });
      if (next == larger.end()) return choice;
      choice = next->second;
    }
  }

  /** The cell of a choice, without the planes that do not bound it. */
  Cell CellOf(const Choice& choice, const std::string& name) const {
    Cell all = MakeCell(SurfacesOf(choice), name);
    std::vector<Surface> needed;
    for (const FacePolygon& face : all.faces) {
      needed.push_back(all.surfaces[static_cast<std::size_t>(face.surface)]);
    }
    return needed.empty() ? all : MakeCell(std::move(needed), name);
  }

 private:
  std::vector<Surface> SurfacesOf(const Choice& choice) const {
    std::vector<Surface> out;
    for (std::size_t k = 0; k < planes_.size(); ++k) {
      const std::uint32_t bit = std::uint32_t{1} << k;
      if ((choice.planes & bit) == 0) continue;
      out.push_back((choice.sides & bit) != 0 ? Complement(planes_[k]) : planes_[k]);
    }
    return out;
  }

  double VolumeIn(const Choice& choice) const {
    double sum = 0.0;
    for (const Piece& piece : pieces_) sum += choice.Holds(piece) ? piece.volume : 0.0;
    return sum;
  }

  bool IsSolid(const Choice& choice, double volume) const {
    const Cell cell = MakeCell(SurfacesOf(choice), {});
    return cell.bounded && !cell.corners.p_C.empty() &&
           std::fabs(VolumeOf(cell) - volume) <= kNoVolume * volume;
  }

  const std::vector<Surface>& planes_;
  const std::vector<Piece>& pieces_;
};

bool IsBoundedPolytope(const Cell& cell) {
  return cell.bounded && cell.polytope && !cell.grid.field && !cell.corners.p_C.empty();
}

}  // namespace

std::vector<Cell> LargestConvexParts(std::span<const Cell> cells) {
  if (cells.size() < 2 || cells.size() > kMostPieces ||
      !std::all_of(cells.begin(), cells.end(), IsBoundedPolytope)) {
    return {};
  }
  const std::vector<Surface> planes = OuterPlanes(cells);
  if (planes.size() > kMostPlanes) return {};
  const std::vector<Piece> pieces = PiecesOf(cells, planes);
  const Growing growing(planes, pieces);
  std::vector<std::vector<bool>> held;
  std::vector<Cell> parts;
  for (const Piece& piece : pieces) {
    const Choice choice = growing.From(piece);
    std::vector<bool> holds;
    for (const Piece& other : pieces) holds.push_back(choice.Holds(other));
    if (std::find(held.begin(), held.end(), holds) != held.end()) continue;
    held.push_back(std::move(holds));
    parts.push_back(growing.CellOf(choice, cells[0].name));
    parts.back().node = cells[0].node;
    if (!IsBoundedPolytope(parts.back())) return {};
  }
  return parts.size() > 1 ? parts : std::vector<Cell>{};
}

}  // namespace intervox::geometry
