/** @file Reads docs/models.md: its laws, their parameters with units and defaults, its examples. */
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "host/scene/scene.h"

namespace intervox::host::testing {

/** A parameter of a table: its unit and default as the page has them. */
struct PageParameter {
  std::string unit, standard;
};

/** The laws of one part of the page that are described together. */
struct PageSection {
  std::string part;                ///< normal, friction, rolling, spinning
  std::vector<std::string> names;  ///< in the heading's order; empty: of all laws of the part
  std::map<std::string, PageParameter> parameters;
  std::vector<ModelSettings> examples;
  std::vector<std::string> figures;  ///< files of pictures
  std::string limits;                ///< where the laws end
};

/** What stands between marks in a line. */
inline std::vector<std::string> Between(const std::string& line, char mark) {
  std::vector<std::string> out;
  std::istringstream parts(line);
  std::string part;
  for (bool inside = false; std::getline(parts, part, mark); inside = !inside) {
    if (inside) out.push_back(part);
  }
  return out;
}

/** The text without blanks at its ends. */
inline std::string Trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/** The parts of a text between separators, trimmed. */
inline std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, separator);) out.push_back(Trimmed(part));
  return out;
}

/** {model: NAME, key: number, …}. */
inline ModelSettings PageExample(const std::string& text) {
  ModelSettings settings;
  for (const std::string& item : Split(text.substr(1, text.size() - 2), ',')) {
    const std::size_t colon = item.find(':');
    const std::string key = item.substr(0, colon), value = item.substr(colon + 2);
    if (key == "model") {
      settings.model = value;
    } else {
      settings.parameters[key] = std::stod(value);
    }
  }
  return settings;
}

/** All sections of the page. */
inline std::vector<PageSection> SectionsOfPage() {
  std::ifstream page(std::string(INTERVOX_DATA_DIR) + "/../docs/models.md");
  std::vector<PageSection> sections;
  std::string line, part;
  while (std::getline(page, line)) {
    for (const std::string name : {"Normal", "Friction", "Rolling", "Spinning"}) {
      if (line == "## " + name + " laws") part = std::string(1, name[0] | 0x20) + name.substr(1);
    }
    const std::vector<std::string> quoted = Between(line, '`');
    if (line.starts_with("### ")) {
      sections.push_back({part, quoted, {}, {}, {}, ""});
    } else if (!part.empty() && line.starts_with("| `")) {
      const std::vector<std::string> cells = Split(line, '|');  // the first is empty
      sections.back().parameters[quoted.front()] = {cells.at(2), cells.at(4)};
    } else if (!part.empty() && line.starts_with("- `{model: ")) {
      sections.back().examples.push_back(PageExample(quoted.front()));
    } else if (!part.empty() && line.starts_with("*Limits.* ")) {
      sections.back().limits = line.substr(std::string("*Limits.* ").size());
    } else if (!part.empty() && line.starts_with("![")) {
      const std::size_t open = line.rfind('('), close = line.rfind(')');
      sections.back().figures.push_back(line.substr(open + 1, close - open - 1));
    }
  }
  return sections;
}

}  // namespace intervox::host::testing
