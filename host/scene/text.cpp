#include "host/scene/text.h"

#include <charconv>

#include "host/scene/shapes.h"

namespace intervox::host {

std::string Text(double x) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, x);
  return std::string(text, result.ptr);
}
std::string Text(const Vec3& v) {
  return "[" + Text(v.x) + ", " + Text(v.y) + ", " + Text(v.z) + "]";
}
std::string Text(const Quaternion& q) {
  return "[" + Text(q.w) + ", " + Text(q.x) + ", " + Text(q.y) + ", " + Text(q.z) + "]";
}
std::string Text(const Mat3& m) {
  return "[" + Text(m.row0) + ", " + Text(m.row1) + ", " + Text(m.row2) + "]";
}
std::string Text(const Pose& X) {
  // As a quaternion where that gives the same bits, else as it is.
  const Quaternion q = ToQuaternion(X.R);
  const Mat3 R = ToRotation(UnitQuaternion(q));
  const bool same = R.row0 == X.R.row0 && R.row1 == X.R.row1 && R.row2 == X.R.row2;
  return "{position: " + Text(X.p) +
         (same ? ", quaternion: " + Text(q) : ", matrix: " + Text(X.R)) + "}";
}
std::string Text(bool value) { return value ? "true" : "false"; }

std::string Quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr char kHex[] = "0123456789abcdef";
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    } else {
      text += c;
    }
  }
  return text + "\"";
}

}  // namespace intervox::host
