/** @file Boxes around the cells of bodies, lower bounds of their distance, and cells grown to prove
 one. */
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "geometry/box_tree.h"
#include "geometry/cell.h"

namespace intervox::host {

/** A cell's oriented box in its body's frame; for an unbounded cell its planes instead. */
struct CellBox {
  Vec3 center;          ///< [m]
  Mat3 R;               ///< axes as columns
  Vec3 half;            ///< [m]
  double radius = 0.0;  ///< of the ball around the box [m]
  bool bounded = true;
  std::vector<Vec3> plane_normals;    ///< out of the cell
  std::vector<double> plane_offsets;  ///< the cell has n·x ≤ offset [m]
};

/** A cell grown by a distance (geometry/grow.h). */
struct GrownCell {
  std::optional<geometry::Cell> cell;  ///< empty where the cell cannot be grown
  double distance = 0.0;               ///< [m]
};

/** Cells are grown by these shares of the radius of the ball around each. The larger growth spares
 more queries for bodies in motion, the smaller one still fits where cells are close. */
inline constexpr std::array<double, 2> kGrowth = {1e-2, 1e-3};

/** The cells of a body grown by each share of kGrowth. Each is made when it is first asked for:
 most cells of a large body never come near another. */
class GrownCells {
 public:
  /** One cell grown by each share, the farthest first. */
  using Steps = std::array<GrownCell, kGrowth.size()>;

  /** @param cells  how many the body has. */
  explicit GrownCells(std::size_t cells) : steps_(cells) {}
  ~GrownCells();
  GrownCells(const GrownCells&) = delete;
  GrownCells& operator=(const GrownCells&) = delete;

  /** The grown cells of a cell; empty ones of an unbounded one. Calls from several threads are
   safe.
   @param index  of the cell in its body. */
  const Steps& Of(const geometry::Cell& cell, const CellBox& box, std::size_t index) const;

 private:
  mutable std::vector<std::atomic<const Steps*>> steps_;
};

/** The cells of a body with their boxes and the ball around them all. */
struct BodyCells {
  std::span<const geometry::Cell> cells;
  std::vector<CellBox> boxes;
  geometry::BoxTree tree;  ///< over the boxes, in the body's frame
  std::shared_ptr<const GrownCells> grown;
  Vec3 center;           ///< of a ball around the bounded cells, body frame [m]
  double radius = 0.0;   ///< the ball's [m]
  geometry::Aabb box;    ///< around the bounded cells, body frame [m]
  bool bounded = true;   ///< all cells are
  bool overlap = false;  ///< cells share volume: they are parts that touch in points only

  /** Cell a grown by each share. */
  const GrownCells::Steps& Grown(std::size_t a) const { return grown->Of(cells[a], boxes[a], a); }
};

/** Boxes of the cells; the cells must outlive the result. */
BodyCells MakeBodyCells(std::span<const geometry::Cell> cells);

/** A lower bound of the distance of two cells by their boxes [m], the second seen from the first's
 body by X_IJ; not positive where they may touch. Stops at a bound above `enough`. Separating axes;
 about 0.1 µs. */
double BoxGap(const CellBox& a, const CellBox& b, const Pose& X_IJ, double enough);

/** A lower bound of the distance of two bodies by the boxes of their cells [m], up to `enough`; not
 positive where they may touch. */
double BodiesGap(const BodyCells& I, const BodyCells& J, const Pose& X_IJ, double enough);

/** A box in W around the bounded cells of a body: around its box and its ball, whichever is closer
 on each side. */
geometry::Aabb WorldBox(const BodyCells& body, const Pose& X_WB);

/** A lower bound of the distance from an unbounded body to a bounded one [m], by the planes of the
 first and by the ball and the world's box of the second; not positive where they may touch.
 @param X_WU  pose of the unbounded body.
 @param box_W, center_W  box and ball's centre of the bounded one, which has the ball's radius. */
double UnboundedGap(const BodyCells& unbounded, const Pose& X_WU, const geometry::Aabb& box_W,
                    const Vec3& center_W, double radius);

/** Bound on how far any point of the ball around a body has moved between two poses [m]. */
double Displacement(const Pose& now, const Pose& then, const BodyCells& ball);

}  // namespace intervox::host
