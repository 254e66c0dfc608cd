/** @file Pages that Python programs draw. */
#pragma once

#include <string>
#include <vector>

namespace intervox::cli {

/** Runs a program of python/ and waits. @return its exit status. @throws std::runtime_error where
 it is missing or cannot be started. */
int Draw(const std::string& script, const std::vector<std::string>& arguments);

}  // namespace intervox::cli
