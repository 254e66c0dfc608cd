/** @file Checks of options that several commands share. */
#pragma once

#include <CLI/CLI.hpp>

namespace intervox::cli {

/** A check of an option: a number within limits that the message shows in full. */
CLI::Validator InRange(double lo, double hi);

/** Has all commands refuse '-' as the name of what they write: none of it is text. */
void RefuseStandardOutput(CLI::App& app);

}  // namespace intervox::cli
