/** @file Solids of bodies made ready: cut into cells, boxed and weighed once for each shape. */
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/moments/mass_properties.h"
#include "host/contact/finder/cell_boxes.h"
#include "host/scene/scene.h"

namespace intervox::host {

/** A solid in the frame of the bodies that have it. Immutable once made, and not movable, because
 the boxes point to the cells. */
struct SolidCells {
  std::vector<geometry::Cell> whole;  ///< as the shape has them
  std::vector<geometry::Cell> split;  ///< cut around hollow faces; empty where there are none
  BodyCells boxes;                    ///< of Cells()
  BodyCells bare_boxes;               ///< of `bare`
  BodyCells merged_boxes;             ///< of `merged`
  BodyCells unsplit_boxes;  ///< of merged cells without sectors; none: they are `merged_boxes`
  BodyCells convex_boxes;   ///< of the largest convex parts; none: there is only one
  bool is_bounded = false;  ///< all its cells are bounded and no grids
  double touches_whole_below = 0.0;  ///< hollow faces of such radii [m]: see points.h
  double widest_hollow = 0.0;        ///< radius of its own hollow faces [m]: see points.h

  SolidCells() = default;
  SolidCells(const SolidCells&) = delete;
  SolidCells& operator=(const SolidCells&) = delete;
  /** The cells that contacts are made of. */
  std::span<const geometry::Cell> Cells() const { return split.empty() ? whole : split; }
  /** Makes `bare` and `bare_boxes`, once; worlds on several threads may ask for them. */
  void AddBareCells();
  /** Makes `merged` and `merged_boxes`, likewise, `unsplit_boxes`, `convex_boxes` and what it
   touches. A ball finds its points around a hollow face of revolution by itself, so such faces are
   not cut for it. */
  void AddMergedCells();

 private:
  std::vector<geometry::Cell> bare_;     ///< `whole` with no face a cut
  std::vector<geometry::Cell> merged_;   ///< Cells() without the cuts that can be undone
  std::vector<geometry::Cell> unsplit_;  ///< likewise of `whole`; empty: they are `merged_`
  std::vector<geometry::Cell> convex_;   ///< parts that overlap
  std::once_flag bare_made_, merged_made_;
};

/** The solids of a scene's bodies. Bodies with the same shape share one, and so do worlds. */
class Solids {
 public:
  Solids() = default;
  /** Takes over the solids of another world, for shapes that are the same in all that cells are
   made of. They live on with either. */
  Solids(const Solids& like) = default;
  Solids& operator=(const Solids&) = delete;
  /** The solid of a body, or null for a body without one. It lives as long as this object.
   @throws InputError at its place for a solid that cannot be cut or is empty, for a listed cell
   that is not one cell, and for listed cells that overlap. */
  const SolidCells* Of(const Scene& scene, const BodySettings& body);
  /** Mass properties at a density [kg/m³], computed once for each solid and density.
   @throws std::invalid_argument as ComputeMassProperties. */
  const MassProperties& Mass(const SolidCells& solid, double density);
  /** Makes `bare_boxes` of all solids. */
  void AddBareCells();
  /** Makes `merged_boxes` and `unsplit_boxes` of all solids. */
  void AddMergedCells();

 private:
  /** The solid of a text that tells all of it, made where there is none. */
  template <class Cut>
  const SolidCells* Find(const std::string& text, const Cut& cut);

  std::map<std::string, std::shared_ptr<SolidCells>> by_text_;
  /// Of the scene's own shapes: their texts are long.
  std::map<geometry::ShapePtr, const SolidCells*> by_shape_;
  std::map<std::pair<const SolidCells*, double>, MassProperties> masses_;
};

}  // namespace intervox::host
