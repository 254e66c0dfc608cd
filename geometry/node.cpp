#include "geometry/node.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace intervox::geometry {
namespace {

/** How far RᵀR may be from the identity. */
constexpr double kOrthonormal = 1e-9;

}  // namespace

std::string NodeLabel(const Shape& shape) {
  if (!shape.name.empty()) return shape.name;
  switch (shape.operation) {
    case Operation::kUnion:
      return "union";
    case Operation::kIntersection:
      return "intersection";
    case Operation::kDifference:
      return "difference";
    case Operation::kGrid:
      return "grid";
    default:
      return PrimitiveName(shape.primitive);
  }
}

std::string NodePlace(const Shape& shape, const std::string& parent_place) {
  const std::string label = NodeLabel(shape);
  if (parent_place.empty()) return "shape '" + label + "'";
  const std::string parent = parent_place.substr(0, parent_place.size() - 1) + "/";
  // Operands that have no name of their own are named by the whole path from the root.
  const bool is_whole = ("shape '" + label).starts_with(parent);
  return (is_whole ? "shape '" : parent) + label + "'";
}

void CheckNode(const Shape& shape, const std::string& place) {
  RequirePositive(place, "scale", shape.scale);
  RequirePosition(place, "pose.position", shape.X.p);
  const Mat3 E = Transpose(shape.X.R) * shape.X.R - Mat3::Identity();
  double error = 0;
  for (int k = 0; k < 3; ++k) {
    const Vec3 a = Abs(E.Row(k));
    for (int j = 0; j < 3; ++j) error = std::isnan(a[j]) ? a[j] : std::max(error, a[j]);
  }
  if (!(error <= kOrthonormal) || !(Determinant(shape.X.R) > 0)) {
    Refuse(place, "the rotation's distance from an orthonormal matrix", error,
           "Give a rotation; poses cannot mirror or stretch.");
  }
  if (shape.operation == Operation::kPrimitive) return;
  if (shape.operation == Operation::kGrid) {
    if (shape.grid.field != nullptr) return;
    throw std::invalid_argument(place + ": the grid has no field. Make or read one.");
  }
  if (shape.children.empty()) {
    throw std::invalid_argument(place + ": the operation has no operands. Give at least one.");
  }
  for (const ShapePtr& child : shape.children) {
    if (!child) throw std::invalid_argument(place + ": an operand is missing. Give a shape.");
  }
}

}  // namespace intervox::geometry
