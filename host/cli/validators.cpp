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

void RefuseStandardOutput(CLI::App& app) {
  const auto check = [](const std::string& text) {
    return text == "-" ? std::string(
                             "standard output takes no files of results. Give a name; './-' is the "
                             "file of that name.")
                       : std::string();
  };
  for (CLI::App* command : app.get_subcommands({})) {
    for (const char* name : {"--out", "--vtk", "--report"}) {
      if (CLI::Option* option = command->get_option_no_throw(name)) {
        option->check(CLI::Validator(check, ""));
      }
    }
  }
}

}  // namespace intervox::cli
