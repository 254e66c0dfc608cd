/** @file Bodies by name. */
#pragma once

#include <string>
#include <unordered_map>

#include "host/scene/scene.h"

namespace intervox::host {

/** The indices of a scene's bodies by name, and the complaint about a name that is none. */
class BodyNames {
 public:
  /** The scene must outlive this object.
   @throws InputError where two bodies have one name. */
  explicit BodyNames(const Scene& scene);
  /** The index of a body, or −1. */
  int Find(const std::string& name) const;
  /** The index of a body.
   @param place  of the name
   @param key    that holds the name, for messages
   @throws InputError with the nearest name where there is no such body. */
  int Require(const std::string& name, const Place& place, const std::string& key) const;

 private:
  const Scene& scene_;
  std::unordered_map<std::string, int> index_;
};

}  // namespace intervox::host
