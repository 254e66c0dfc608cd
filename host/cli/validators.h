/** @file Checks of options that several commands share. */
#pragma once

#include <CLI/CLI.hpp>

namespace intervox::cli {

/** A check of an option: a number within limits that the message shows in full. */
CLI::Validator InRange(double lo, double hi);

}  // namespace intervox::cli
