/** @file The one table of every key that scene, pair and batch files know. The reader validates
 against it, the JSON Schemas in data/schema are written from it, and messages take their
 suggestions from it.
 */
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace intervox::host {

/** What a key's value may be. */
enum class Type {
  kNumber,
  kVector,          ///< [x, y, z]
  kNumberOrVector,  ///< one number for all three components, or [x, y, z]
  kNumberOrObject,  ///< one number, or a map of the object named `of`
  kNumbers,         ///< a list of exactly `count` numbers
  kNumberList,      ///< a list of at least `count` numbers
  kInertia,         ///< [Ixx, Iyy, Izz] or a 3 × 3 matrix
  kPoints,          ///< a list of at least `count` [x, y, z]
  kBool,
  kString,
  kStrings,    ///< a list of at least `count` words
  kChoice,     ///< one word of `of`, separated by |
  kObject,     ///< a map of the object named `of`
  kObjects,    ///< a list of at least `count` such maps
  kNamed,      ///< a map from free names to such maps
  kShape,      ///< a shape: a name, or a map of the object "shape"
  kShapes,     ///< a list of at least `count` shapes
  kShapesMap,  ///< a map from names to shapes, and `include`
  kParameter,  ///< a number or a word: a parameter of a contact model
  kWords,      ///< a map from free names to words
  kValue,      ///< any value, judged where it is used
  kValues,     ///< a list of at least `count` such values
};

/** Bounds of a number; `lo` itself is allowed unless `open`. */
struct Range {
  double lo = -1e30;
  double hi = 1e30;
  bool open = false;
};

inline constexpr Range kAny{};  ///< any finite number of sane size
/// Of a number that has been checked against its key's own range.
inline constexpr Range kChecked{-1e60, 1e60, false};
inline constexpr Range kLength{-1e9, 1e9, false};  ///< a coordinate [m]
inline constexpr Range kSize{1e-12, 1e9, false};   ///< a size [m]
inline constexpr Range kRadius{0, 1e9, false};     ///< a size that may vanish [m]
inline constexpr Range kMass{1e-18, 1e18, false};  ///< a mass [kg]
inline constexpr Range kPositive{0, 1e30, true};   ///< more than zero
/// A foundation's stiffness [N/m³]: thin light parts need not sink in by an atom's radius.
inline constexpr Range kFoundation{0, 1e60, true};
inline constexpr Range kNonNegative{0, 1e30, false};  ///< zero or more

/** One key of an object. */
struct Key {
  std::string name;
  Type type = Type::kNumber;
  Range range;
  std::string of;  ///< name of the object, or choices separated by |
  bool required = false;
  int count = 0;
  std::string doc;  ///< what it means, its unit, its default
};

/** A map with known keys. */
struct Object {
  std::string name;
  std::string doc;
  std::vector<Key> keys;
  std::vector<std::string> exactly_one;  ///< exactly one of these must stand
  std::vector<std::string> at_most_one;  ///< at most one of these may stand
  bool open = false;  ///< further keys are parameters of a named model, checked where it is made
};

/** All objects; "scene", "pairs" and "batch" are the files' roots. */
std::span<const Object> Objects();

/** The object of a name, which must exist. */
const Object& ObjectNamed(std::string_view name);

/** The known keys of an object, for suggestions. */
std::vector<std::string> KeyNames(const Object& object);

/** The words of a choice "a|b|c". */
std::vector<std::string> Choices(const std::string& of);

}  // namespace intervox::host
