#include "host/input/place.h"

#include "host/input/error.h"

namespace intervox::host {

std::string Place::Text(const std::string& otherwise) const {
  if (!file) return otherwise;
  return line > 0 ? *file + ":" + std::to_string(line) : *file;
}

const Place& Places::Of(const std::string& key) const {
  for (const auto& [name, place] : keys) {
    if (name == key) return place;
  }
  return self;
}

void FailAt(const Place& place, const std::string& otherwise, const std::string& key,
            const std::string& what) {
  throw InputError(place.Text(otherwise) + ": " + key + ": " + what);
}

}  // namespace intervox::host
