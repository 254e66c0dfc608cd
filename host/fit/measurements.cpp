#include "host/fit/measurements.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "host/input/error.h"

namespace intervox::host {
namespace {

std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream stream(line);
  std::string field;
  while (std::getline(stream, field, ',')) {
    const std::size_t first = field.find_first_not_of(" \t\r");
    const std::size_t last = field.find_last_not_of(" \t\r");
    out.push_back(first == std::string::npos ? "" : field.substr(first, last - first + 1));
  }
  return out;
}

double NumberOf(const std::string& text, const std::string& where) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) {
    throw InputError(where + ": \"" + text +
                     "\" is not a finite number. Give numbers in SI units.");
  }
  return value;
}

}  // namespace

const std::vector<double>* Measurements::Find(const std::string& name) const {
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == name) return &columns[k];
  }
  return nullptr;
}

Measurements ReadMeasurements(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw InputError(path + ": cannot be read. Check its name and its permissions.");
  Measurements out;
  out.source = path;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const std::vector<std::string> fields = Fields(line);
    if (fields.empty() || (fields.size() == 1 && fields[0].empty()) || line[0] == '#') continue;
    const std::string where = path + ":" + std::to_string(number);
    if (out.names.empty()) {
      out.names = fields;
      out.columns.resize(fields.size());
      continue;
    }
    if (fields.size() != out.names.size()) {
      throw InputError(where + ": has " + std::to_string(fields.size()) +
                       " numbers, the first line " + std::to_string(out.names.size()) +
                       " names. Give one number for each name.");
    }
    for (std::size_t k = 0; k < fields.size(); ++k) {
      out.columns[k].push_back(NumberOf(fields[k], where + ": " + out.names[k]));
    }
  }
  if (out.names.empty()) throw InputError(path + ": is empty. Its first line names the columns.");
  return out;
}

}  // namespace intervox::host
