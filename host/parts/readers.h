/** @file Triangles from files of other programs: STL, OBJ and PLY in double precision, 3MF and glTF
 by a library. */
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** A file in memory, with its name for messages. */
struct PartFile {
  std::shared_ptr<const std::string> name;
  std::string_view bytes;  ///< not owned
};

/** One object of a file, in the file's units and frame. Indices lie within the vertices. */
struct PartMesh {
  std::string name;  ///< of the object; empty where it has none
  TriangleMesh mesh;
  double step = 0;  ///< coordinates were read as multiples of so much; 0: in double precision
};

/** Steps of coordinates above this share of a part's diagonal, so from some hundred diagonals from
 the origin on, are told. */
inline constexpr double kCoarseStep = 1e-5;

/** The distance of neighbours among numbers of single precision as large as the largest of these
 coordinates. */
double StepOfSingle(const std::vector<Vec3>& points);

/** Binary STL where the size agrees with the number of triangles that it says, else ASCII; each
 `solid` of an ASCII file is an object. Corners are not welded.
 @throws InputError naming file, place and remedy for anything else. */
std::vector<PartMesh> ReadStl(const PartFile& file);

/** Wavefront OBJ: `v` and `f` count, polygons become fans. Objects are those of `o`, or of `g`
 where there is no `o`. @throws InputError as ReadStl. */
std::vector<PartMesh> ReadObj(const PartFile& file);

/** Stanford PLY, ASCII or binary of either byte order: `vertex` with x, y, z of any type and `face`
 with a list of indices count, polygons become fans; one object. @throws InputError as ReadStl. */
std::vector<PartMesh> ReadPly(const PartFile& file);

/** Reads a file of the extension, ".3mf" or ".glb". */
using SceneFileReader =
    std::function<std::vector<PartMesh>(const PartFile& file, const std::string& extension)>;

/** Sets the reader of .3mf and .glb files; a program without assimp has none. */
void SetSceneFileReader(SceneFileReader reader);

/** 3MF, a zip archive of XML, by the reader that was set: an object for each mesh as it is placed.
 @throws InputError as ReadStl, and where no reader was set. */
std::vector<PartMesh> ReadThreeMf(const PartFile& file);

/** Binary glTF, likewise. @throws InputError as ReadThreeMf. */
std::vector<PartMesh> ReadGlb(const PartFile& file);

}  // namespace intervox::host
