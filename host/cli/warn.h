/** @file Warnings on the terminal. */
#pragma once

#include <iostream>
#include <span>
#include <string>

namespace intervox::cli {

/** Prints warnings to standard error, a line each. */
inline void Warn(std::span<const std::string> warnings) {
  for (const std::string& warning : warnings) {
    std::cerr << "intervox: warning: " << warning << '\n';
  }
}

}  // namespace intervox::cli
