#include "host/input/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace intervox::host {
namespace {

/** Bytes of the printable character that the text begins with, 0: there is none. */
std::size_t PrintableLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t';
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const auto within = [&](std::uint32_t lo, std::uint32_t hi) { return code >= lo && code <= hi; };
  // Control codes, surrogates, and marks that turn the direction of writing.
  if (code < kLeast[length] || code > 0x10ffff || within(0x80, 0x9f) || within(0xd800, 0xdfff) ||
      within(0x200e, 0x200f) || within(0x2028, 0x202e) || within(0x2066, 0x2069)) {
    return 0;
  }
  return length;
}

/** The beginning of a text of at most so many bytes, no character cut through. */
std::string_view Beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  return text.substr(0, most);
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = PrintableLength(text);
    if (length > 0) {
      out += text.substr(0, length);
    } else {
      std::array<char, 5> code{};
      std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(text[0]));
      out += code.data();
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::string PrintableMessage(std::string_view text) {
  std::string out;
  while (!text.empty() && out.size() < kMaxMessage) {
    const std::size_t end = std::min(text.find_first_of(" \n\t"), text.size());
    const std::string word = Printable(Beginning(text.substr(0, end), kMaxWord + 1));
    out += Beginning(word, kMaxWord);
    if (word.size() > kMaxWord) out += "…";
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!text.empty()) out = std::string(Beginning(out, kMaxMessage)) + " …";
  return out;
}

}  // namespace intervox::host
