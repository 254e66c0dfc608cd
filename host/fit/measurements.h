/** @file Measured numbers from a CSV file. */
#pragma once

#include <string>
#include <vector>

namespace intervox::host {

/** Named columns of equal length. */
struct Measurements {
  std::string source;  ///< the file, for messages
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;

  /** The column of that name, or null. */
  const std::vector<double>* Find(const std::string& name) const;
};

/** Reads a CSV file: the names in the first line, then numbers; SI units. Empty lines and those
 that begin with # are passed over. @throws InputError with file, line and what is wrong. */
Measurements ReadMeasurements(const std::string& path);

}  // namespace intervox::host
