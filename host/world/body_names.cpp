#include "host/world/body_names.h"

#include <vector>

#include "host/input/nearest.h"

namespace intervox::host {

BodyNames::BodyNames(const Scene& scene) : scene_(scene) {
  for (const BodySettings& body : scene.bodies) {
    const auto next = static_cast<int>(index_.size());
    if (index_.emplace(body.name, next).second) continue;
    FailAt(body.places.self, scene.path.string(), "bodies." + body.name,
           "two bodies have this name. Rename one of them.");
  }
}

int BodyNames::Find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? -1 : found->second;
}

int BodyNames::Require(const std::string& name, const Place& place, const std::string& key) const {
  const int body = Find(name);
  if (body >= 0) return body;
  std::vector<std::string> names;
  for (const BodySettings& known : scene_.bodies) names.push_back(known.name);
  FailAt(place, scene_.path.string(), key,
         "no body is named '" + name + "'. " + Suggest(name, names));
}

}  // namespace intervox::host
