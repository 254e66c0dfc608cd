/** @file What the command line says of itself: help, version, completion, misspelt commands. */
#pragma once

#include <CLI/CLI.hpp>

namespace intervox::cli {

/** Adds `help`, `version` and `completion`, which tell of all commands that are there: call it
 last. */
void AddHelp(CLI::App& app, int& status);

/** @throws host::InputError naming the nearest when the first argument is a word and no command. */
void RequireKnownCommand(const CLI::App& app, int argc, const char* const* argv);

}  // namespace intervox::cli
