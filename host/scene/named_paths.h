/** @file Paths into a scene's named things: `--set` and batches change what is there. */
#pragma once

#include <optional>
#include <string>

#include "host/scene/document.h"

namespace intervox::host {

/** What a message says of a path to a thing that nothing is named. */
struct UnknownThing {
  std::string what;        ///< "the scene has no 'bal' in bodies"
  std::string suggestion;  ///< "Did you mean 'ball'?"
};

/** The thing of bodies, shapes, materials and the like that a path such as `bodies.ball.mass` is
 of, where the scene's document has none of that name; nothing for all other paths. */
std::optional<UnknownThing> FindUnknownThing(const Value& document, const std::string& path);

/** Applies one edit `path=value` of a scene. A thing of its own is added as a whole,
 `bodies.ball={…}`: a path into one that is not there is misspelt.
 @throws InputError for such a path, else as ApplyOverride. */
void ApplySceneOverride(const std::string& override_text, Value& document);

}  // namespace intervox::host
