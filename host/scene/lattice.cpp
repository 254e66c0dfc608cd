#include "host/scene/lattice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "geometry/grid/make_level_set.h"
#include "host/scene/grids.h"
#include "host/scene/names.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

/** A level and its gradient by the phase 2π x/period. */
struct Nodal {
  double value = 0;
  Vec3 gradient;
};

Nodal Evaluate(LatticeKind kind, const Vec3& phase) {
  const Vec3 s{std::sin(phase.x), std::sin(phase.y), std::sin(phase.z)};
  const Vec3 c{std::cos(phase.x), std::cos(phase.y), std::cos(phase.z)};
  if (kind == LatticeKind::kSchwarzP) return {c.x + c.y + c.z, -s};
  if (kind == LatticeKind::kGyroid) {
    return {s.x * c.y + s.y * c.z + s.z * c.x,
            {c.x * c.y - s.z * s.x, c.y * c.z - s.x * s.y, c.z * c.x - s.y * s.z}};
  }
  // Diamond.
  return {s.x * s.y * s.z + s.x * c.y * c.z + c.x * s.y * c.z + c.x * c.y * s.z,
          {c.x * s.y * s.z + c.x * c.y * c.z - s.x * s.y * c.z - s.x * c.y * s.z,
           s.x * c.y * s.z - s.x * s.y * c.z + c.x * c.y * c.z - c.x * s.y * s.z,
           s.x * s.y * c.z - s.x * c.y * s.z - c.x * s.y * s.z + c.x * c.y * c.z}};
}

/** No nodal level changes faster with the phase: √3 for the gyroid and Schwarz' P, and less than
 that for the diamond. */
constexpr double kSteepest = 1.7320508075688772;

/** The signed distance to the box of these half edges. */
double DistanceToBox(const Vec3& half, const Vec3& x) {
  const Vec3 d = Abs(x) - half;
  const double inside = std::min(0.0, std::max({d.x, d.y, d.z}));
  return inside + Norm(Max(d, {}));
}

}  // namespace

double DistanceToSheet(LatticeKind kind, double period, const Vec3& x) {
  const double wave = 2 * std::numbers::pi / period;
  const Vec3 at = wave * x;
  Vec3 foot = at;
  Nodal level = Evaluate(kind, foot);
  const double side = level.value < 0 ? -1 : 1;
  constexpr int kMostSteps = 12;
  constexpr double kRest = 1e-7, kLeastSquare = 1e-2;
  for (int step = 0; step < kMostSteps; ++step) {
    // The foot of the point on the tangent plane of the surface at the last foot.
    const double square = std::max(SquaredNorm(level.gradient), kLeastSquare);
    const double along = Dot(level.gradient, at - foot) / square;
    const Vec3 next = at - (along + level.value / square) * level.gradient;
    const double moved = Norm(next - foot);
    foot = next;
    level = Evaluate(kind, foot);
    if (moved < kRest) break;
  }
  return side * Norm(at - foot) / wave;
}

namespace {

/** The distances of all nodes to the sheet, in voxels, of which there is one period where it is a
 whole number of voxels. */
class SheetDistances {
 public:
  /** @param nodes  how many will be asked for: what one period holds more is not prepared */
  SheetDistances(const Lattice& lattice, double nodes) : lattice_(lattice) {
    const double voxels = lattice.period / lattice.voxel_size, whole = std::round(voxels);
    constexpr double kSame = 1e-12, kMost = 256;
    if (std::fabs(voxels - whole) > kSame * voxels || whole > kMost ||
        whole * whole * whole > nodes) {
      return;
    }
    edge_ = static_cast<int>(whole);
    period_.resize(static_cast<std::size_t>(edge_) * edge_ * edge_);
    OnAllCores(edge_, [&](int begin, int end) {
      std::size_t n = static_cast<std::size_t>(begin) * edge_ * edge_;
      for (int i = begin; i < end; ++i) {
        for (int j = 0; j < edge_; ++j) {
          for (int k = 0; k < edge_; ++k) {
            period_[n++] =
                At({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
          }
        }
      }
    });
  }

  /** At a node [voxels]. */
  double operator()(const Vec3& u) const {
    if (edge_ == 0) return At(u);
    return period_[(Place(u.x) * static_cast<std::size_t>(edge_) + Place(u.y)) * edge_ +
                   Place(u.z)];
  }

 private:
  double At(const Vec3& u) const {
    const double h = lattice_.voxel_size;
    return std::fabs(DistanceToSheet(lattice_.kind, lattice_.period, h * u)) / h;
  }
  std::size_t Place(double u) const {
    const int i = static_cast<int>(u) % edge_;
    return static_cast<std::size_t>(i < 0 ? i + edge_ : i);
  }

  const Lattice& lattice_;
  int edge_ = 0;  // nodes along a period; 0: each is computed
  std::vector<double> period_;
};

}  // namespace

geometry::GridSource GridOfLattice(const Lattice& lattice) {
  if (!(3 * lattice.thickness < lattice.period)) {
    throw std::invalid_argument("the wall is " + Text(lattice.thickness) +
                                " m thick, and the period " + Text(lattice.period) +
                                " m. Make it less than a third of the period");
  }
  const double h = lattice.voxel_size, wall = 0.5 * lattice.thickness;
  if (!(lattice.thickness >= 2 * h)) {
    throw std::invalid_argument("the wall is thinner than two voxels of " + Text(h) +
                                " m. Give a voxel size of " + Text(0.5 * lattice.thickness) +
                                " m or less");
  }
  geometry::RequireGridSizes(h, kHalfWidth);
  const Vec3 half = 0.5 * lattice.size;
  const double band = kHalfWidth * h, margin = kHalfWidth + 1;
  std::array<int, 3> origin{}, size{};
  geometry::PlaceBlocks(-half / h - margin * Vec3{1, 1, 1}, half / h + margin * Vec3{1, 1, 1}, h,
                        &origin, &size);
  // Far from the sheet by its steepest slope, or from the box: nothing is there.
  const double around = std::sqrt(3.0) * 0.5 * geometry::kBlockEdge * h;
  const double wave = 2 * std::numbers::pi / lattice.period;
  std::vector<geometry::PlaceKind> kinds;
  for (int i = 0; i < size[0]; ++i) {
    for (int j = 0; j < size[1]; ++j) {
      for (int k = 0; k < size[2]; ++k) {
        const Vec3 c = h * Vec3{origin[0] + geometry::kBlockEdge * (i + 0.5),
                                origin[1] + geometry::kBlockEdge * (j + 0.5),
                                origin[2] + geometry::kBlockEdge * (k + 0.5)};
        const double sheet =
            std::fabs(Evaluate(lattice.kind, wave * c).value) / (kSteepest * wave) - wall;
        const bool far = std::max(sheet, DistanceToBox(half, c)) > band + around;
        kinds.push_back(far ? geometry::PlaceKind::kOutside : geometry::PlaceKind::kBand);
      }
    }
  }
  const auto blocks = std::count(kinds.begin(), kinds.end(), geometry::PlaceKind::kBand);
  const SheetDistances sheets(lattice, static_cast<double>(blocks) * geometry::kBlockNodes);
  const auto level = [&](const Vec3& u) {
    const double box = DistanceToBox(half, h * u);
    const double sheet = box > band ? band : h * sheets(u) - wall;
    return std::max(sheet, box) / h;
  };
  geometry::GridSource grid;
  grid.field =
      geometry::JoinBlocks(origin, size, kinds, geometry::ByNode(level), h, kHalfWidth, OnAllCores);
  grid.voxel_size = h;
  grid.half_width = kHalfWidth;
  grid.text = "lattice: {kind: " + WordOf(lattice.kind) + ", period: " + Text(lattice.period) +
              ", thickness: " + Text(lattice.thickness) + ", size: " + Text(lattice.size) +
              ", voxel_size: " + Text(h) + "}";
  return grid;
}

}  // namespace intervox::host
