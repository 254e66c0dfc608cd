#include "host/results/run_number.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace intervox::host {

std::uint64_t NewRunNumber() {
  std::random_device random;
  const std::uint64_t number = (static_cast<std::uint64_t>(random()) << 32) | random();
  return std::max<std::uint64_t>(1, number);
}

std::string RunNumberText(std::uint64_t run) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(run));
  return text.data();
}

std::uint64_t RunNumberOf(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 16);
}

}  // namespace intervox::host
