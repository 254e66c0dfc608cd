/** @file The number that tells a run's results from any other's. */
#pragma once

#include <cstdint>
#include <string>

namespace intervox::host {

/** A number that no other run has; not 0. */
std::uint64_t NewRunNumber();

/** The number as results hold it: 16 hexadecimal digits. */
std::string RunNumberText(std::uint64_t run);

/** The number of a text; 0 where it is none. */
std::uint64_t RunNumberOf(const std::string& text);

}  // namespace intervox::host
