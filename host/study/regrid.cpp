#include "host/study/regrid.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/input/error.h"
#include "host/scene/grids.h"
#include "host/scene/pairs.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

using geometry::Operation;
using geometry::Shape;

bool IsGrid(const Shape& shape) { return shape.operation == Operation::kGrid; }

/** The text of a grid of the same triangles, or of the same lattice, with other voxels. */
std::string TextWith(const geometry::GridSource& grid, double voxel_size, double half_width) {
  const std::string size = "voxel_size: " + Text(voxel_size);
  if (!grid.file.empty()) {
    return "grid: {of: {" + grid.text + "}, " + size + ", half_width: " + Text(half_width) + "}";
  }
  return grid.text.substr(0, grid.text.rfind("voxel_size:")) + size + "}";
}

/** The grid of a text. What is wrong with it has its place in no file. */
geometry::GridSource GridOfText(const std::string& text) {
  try {
    return ParseShape(text, "")->grid;
  } catch (const InputError& error) {
    const std::string what = error.what(), key = "shapes.shape.";
    const std::size_t at = what.find(": ", what.find(key));
    throw std::invalid_argument(at == std::string::npos ? what : what.substr(at + 2));
  }
}

}  // namespace

Origin OriginOf(const Shape& shape) {
  if (!IsGrid(shape) || !shape.children.empty()) return Origin::kExact;
  return IsLevelSet(shape.grid.file) ? Origin::kLevelSet : Origin::kMeasured;
}

double VoxelSizeOf(const Shape& grid) { return grid.scale * grid.grid.voxel_size; }

std::vector<geometry::Cell> CellsBehind(const Shape& shape) {
  if (!IsGrid(shape) || shape.children.empty()) return geometry::ToCells(shape);
  Shape of;
  of.name = shape.name;
  of.X = shape.X;
  of.scale = shape.scale;
  of.operation = Operation::kUnion;
  of.children = shape.children;
  return geometry::ToCells(of);
}

std::vector<geometry::Cell> CellsOfGrid(const geometry::ShapePtr& shape, double voxel_size,
                                        double half_width) {
  if (!IsGrid(*shape)) {
    std::vector<geometry::Cell> cells = geometry::ToCells(*shape);
    const bool bounded = std::all_of(cells.begin(), cells.end(),
                                     [](const geometry::Cell& cell) { return cell.bounded; });
    if (!bounded) return cells;
    return geometry::ToCells(GridOf(shape, voxel_size, half_width));
  }
  Shape grid = *shape;
  const double size = voxel_size / shape->scale;
  switch (OriginOf(*shape)) {
    case Origin::kExact:
      grid.grid = GridOf(shape->children.front(), size, half_width, shape->grid.unbiased).grid;
      break;
    case Origin::kMeasured:
      grid.grid = GridOfText(TextWith(shape->grid, size, half_width));
      break;
    case Origin::kLevelSet:
      break;
  }
  return geometry::ToCells(grid);
}

}  // namespace intervox::host
