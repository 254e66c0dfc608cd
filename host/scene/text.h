/** @file Values as YAML: flow lists and maps, and the shortest numbers that read back to the same
 bits. */
#pragma once

#include <string>

#include "geometry/linear.h"

namespace intervox::host {

/** A number. */
std::string Text(double x);
/** [x, y, z] */
std::string Text(const Vec3& v);
/** [w, x, y, z] */
std::string Text(const Quaternion& q);
/** A list of three rows. */
std::string Text(const Mat3& m);
/** {position: …, quaternion: …}, or with a matrix: whatever reads back to the same bits. */
std::string Text(const Pose& X);
/** true or false */
std::string Text(bool value);
/** A word in double quotes: never mistaken for a number, a bool or a bracket. */
std::string Quoted(const std::string& word);

}  // namespace intervox::host
