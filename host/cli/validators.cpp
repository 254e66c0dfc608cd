#include "host/cli/validators.h"

#include <fmt/format.h>

namespace intervox::cli {

CLI::Validator InRange(double lo, double hi) {
  const auto check = [lo, hi](const std::string& text) {
    double value = 0;
    const bool number = CLI::detail::lexical_cast(text, value);
    if (number && value >= lo && value <= hi) return std::string();
    return fmt::format("'{}' is out of range. Give a number from {:g} to {:g}.", text, lo, hi);
  };
  return {check, fmt::format("[{:g}, {:g}]", lo, hi)};
}

}  // namespace intervox::cli
