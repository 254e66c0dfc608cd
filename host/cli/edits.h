/** @file The option for edits of a scene. */
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace intervox::cli {

/** Adds --set, edits of the scene as LoadScene takes them. */
inline CLI::Option* AddEdits(CLI::App* command, std::vector<std::string>* edits,
                             const char* what = "Edit of the scene, path=value") {
  return command->add_option("--set", *edits, what)
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

}  // namespace intervox::cli
