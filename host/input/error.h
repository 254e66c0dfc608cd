/** @file The error of bad user input. */
#pragma once

#include <stdexcept>
#include <string>

namespace intervox::host {

/** Bad input: what() reads "FILE:LINE: KEY: what is wrong (value). Remedy." The program exits
 * with 2. */
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace intervox::host
