/** @file What a primitive turns into: lists of surfaces, each list one cell. */
#pragma once

#include <string>
#include <vector>

#include "geometry/shape.h"
#include "geometry/surface.h"

namespace intervox::geometry {

/** The surfaces of one cell. */
using SurfaceList = std::vector<Surface>;
/** Disjoint cells whose union is the primitive, in the primitive's frame. Faces that two pieces
 share are tagged `cut`, and the cut planes of the pieces partition the space. */
using Pieces = std::vector<SurfaceList>;

/** The pieces of any primitive. Each has, in its own header, its ToPieces and its KeyOf; without
 one of them this does not compile.
 @param place  names the node in messages.
 @throws std::invalid_argument naming place, value and remedy. */
Pieces ToPieces(const Primitive& primitive, const std::string& place);

/** The primitive's key in files, for example "half_space". */
std::string PrimitiveName(const Primitive& primitive);

/** Throws the error of bad input: "PLACE: WHAT is VALUE. REMEDY".
 @throws std::invalid_argument always. */
[[noreturn]] void Refuse(const std::string& place, const std::string& what, double value,
                         const std::string& remedy);

/** The least length that is accepted [m]. With the largest one it keeps squares, cubes and their
 sums far from overflow and underflow. */
inline constexpr double kSmallestLength = 1e-12;
/** The largest length and coordinate that is accepted [m]. */
inline constexpr double kLargestLength = 1e12;

/** Throws unless the value is positive, finite and within the range of lengths. */
void RequirePositive(const std::string& place, const std::string& what, double value);

/** Throws unless all components are finite. */
void RequireFinite(const std::string& place, const std::string& what, const Vec3& value);

/** Throws unless all coordinates are finite and within the range of lengths. */
void RequirePosition(const std::string& place, const std::string& what, const Vec3& value);

}  // namespace intervox::geometry
