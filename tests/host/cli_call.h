/** @file Calls the executable as scripts do. */
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "files.h"

namespace intervox {

/** The executable under test: what the environment names, else that of the build. */
inline const std::string kProgram = [] {
  const char* const named = std::getenv("INTERVOX_EXECUTABLE");
  return named != nullptr ? named : INTERVOX_EXECUTABLE;
}();
/** The shipped data. */
inline const std::string kData = INTERVOX_DATA_DIR;

/** How a call ended and what it printed. */
struct Outcome {
  int status = -1;
  std::string text;  // standard output and error together
};

/** Runs the executable with these arguments, after what `first` tells the shell. */
inline Outcome Call(const std::string& arguments, bool with_errors = true,
                    const std::string& first = "") {
  const std::string command =
      first + kProgram + " " + arguments + (with_errors ? " 2>&1" : " 2>/dev/null");
  FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  std::size_t count = 0;
  while ((count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
    outcome.text.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

/** A ball that drops to a floor: 0.3 s. */
inline const char* const kScene =
    "schema: intervox/scene/1\n"
    "name: drop\n"
    "duration: 0.3\n"
    "integrator: {step: 1e-3}\n"
    "shapes:\n"
    "  ball: {sphere: {radius: 0.1}}\n"
    "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
    "contact_models:\n"
    "  default: {normal: {model: gonthier, stiffness: 1e7, restitution: 0.5}}\n"
    "bodies:\n"
    "  floor: {shape: floor, fixed: true}\n"
    "  ball: {shape: ball, mass: 2, pose: {position: [0, 0, 0.15]}, velocity: {linear: [0.1, 0, "
    "0]}}\n"
    "sensors: {s: {body: ball}}\n"
    "output: {every: 2e-3, checkpoint_every: 0.05}\n";

}  // namespace intervox
