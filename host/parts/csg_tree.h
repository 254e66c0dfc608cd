/** @file The text of a `.csg` file as a tree of calls. */
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/parts/readers.h"

namespace intervox::host {

/** A value of an argument: a number, a list of values, or a word (true, undef, a text). */
struct CsgValue {
  /** The kinds of value. */
  enum class Kind { kNumber, kList, kWord };
  Kind kind = Kind::kWord;
  double number = 0;
  std::vector<CsgValue> items;
  std::string word;
};

/** `name(key = value, …) { children }`. */
struct CsgCall {
  std::string name;
  int line = 0;
  std::vector<std::pair<std::string, CsgValue>> arguments;  ///< without a key: ""
  std::vector<CsgCall> children;

  /** The argument of a key, or nullptr. */
  const CsgValue* Find(const std::string& key) const;
};

/** Deepest nesting of calls and lists. */
inline constexpr int kMostCsgDepth = 500;
/** Most calls and values of a file. */
inline constexpr int kMostCsgNodes = 10'000'000;

/** Parses a file as one call `union` of all its calls. What `*` and `%` mark is left out, as
 OpenSCAD does; `#` changes nothing. @throws InputError naming file, line, what was found and a
 remedy. */
CsgCall ParseCsg(const PartFile& file);

}  // namespace intervox::host
