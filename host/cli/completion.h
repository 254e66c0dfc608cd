/** @file Completion scripts for shells, made from the tree of commands and options. */
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace intervox::cli {

/** A script for bash, to be sourced. */
std::string BashCompletion(const CLI::App& app);

/** A script for zsh, to stand as _intervox in a folder of $fpath. */
std::string ZshCompletion(const CLI::App& app);

}  // namespace intervox::cli
