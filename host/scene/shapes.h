/** @file Shapes and poses from YAML, with names, references and included files. */
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "geometry/shape.h"
#include "host/scene/cursor.h"

namespace intervox::host {

/** Deepest chain of named shapes and of included files. */
inline constexpr int kMaxReferences = 64;
/** Most primitives of one shape, references expanded. */
inline constexpr int kMaxPrimitives = 1'000'000;

/** q / |q|, or q itself where that is 1 within rounding: what was written reads back unchanged. */
Quaternion UnitQuaternion(const Quaternion& q);

/** A pose: position and at most one of quaternion, rpy_deg, rotation_vector, matrix. An empty map
 is the identity. @throws InputError for a zero quaternion and a matrix that is no rotation. */
Pose ReadPose(const Cursor& cursor);

/** The rotation that stands in a map with one of the rotation keys. */
Quaternion ReadRotation(const Cursor& cursor);

/** The named things of a file and of all files that it includes. */
class Library {
 public:
  /** Takes a document (kept alive by the library) and reads its includes, validated.
   @throws InputError for cyclic or missing includes and for names that stand twice. */
  const Value& Add(Value document, const std::filesystem::path& path);

  /** The solid of a name. @throws InputError at `from` when there is none or it refers to itself.
   */
  geometry::ShapePtr Named(const std::string& name, const Cursor& from);
  /** A shape value: a name, or a map. `name` is given to the node when it has none. */
  geometry::ShapePtr Read(const Cursor& cursor, const std::string& name);
  /** All named solids, in the order of the files. */
  std::vector<std::pair<std::string, geometry::ShapePtr>> All();
  /** Where a named shape stands. */
  Place PlaceOf(const std::string& name) const;
  /** The file of another program of which a solid that was read has its shape, or a piece of it,
   as scenes write it; empty: none. */
  std::string PartIn(const geometry::ShapePtr& shape) const;
  /** What was read from files of other programs so far, a line each. */
  const std::vector<std::string>& Parts() const { return parts_; }
  /** What of it was lost before it was read, a line each. */
  const std::vector<std::string>& PartWarnings() const { return part_warnings_; }
  /** Calls f(cursor, name) for each entry of a map of names ("materials", …) of all files. */
  void ForEach(const std::string& section,
               const std::function<void(const Cursor&, const std::string&)>& f) const;

 private:
  /** Of the grid that a part becomes which is not convex. */
  struct GridSizes {
    double voxel_size = 0;  ///< [m]
    double half_width = 0;  ///< [voxels]
  };
  struct Built {
    geometry::ShapePtr shape;
    int primitives = 0;
    std::string part{};  ///< see PartIn
  };
  void Include(const Cursor& list, const std::filesystem::path& path);
  Built Build(const Cursor& cursor, const std::string& name);
  Built BuildNamed(const std::string& name, const Cursor& from);
  Built Node(const Cursor& cursor, const std::string& name);
  Built FromFile(const Cursor& cursor, geometry::Shape shape);
  Built Children(const Cursor& list, const std::string& name, geometry::Shape shape);
  Built Grid(const Cursor& cursor, const std::string& name);
  Built LatticeBlock(const Cursor& cursor, const std::string& name);
  Built LevelSetFile(const Cursor& cursor, const std::string& name);

  std::deque<Value> documents_;
  std::vector<std::filesystem::path> open_files_;
  std::set<std::filesystem::path> files_;
  std::vector<std::pair<std::string, const Value*>> named_;
  /** A named shape and the folder of its file, where paths in it start. */
  struct NamedValue {
    const Value* value = nullptr;
    std::filesystem::path folder;
  };
  std::map<std::string, NamedValue> by_name_;
  std::map<std::string, Built> built_;
  std::vector<std::string> open_;
  std::map<std::string, std::string> circles_;      ///< what was said of the shapes on each
  std::map<std::string, geometry::ShapePtr> read_;  ///< level sets by their files' paths
  std::optional<GridSizes> sizes_;                  ///< of the grid that is being read
  std::filesystem::path folder_;                    ///< of the file whose shape is being read
  std::vector<std::string> parts_;
  std::vector<std::string> part_warnings_;
  std::map<geometry::ShapePtr, std::string> part_in_;
};

}  // namespace intervox::host
