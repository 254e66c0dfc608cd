/** @file The scene reader. */
#pragma once

#include <string>
#include <vector>

#include "host/scene/document.h"
#include "host/scene/scene.h"

namespace intervox::host {

/** Reads a scene from text, as LoadScene does from a file.
 @param path       names it in messages and is where includes start
 @param overrides  `path=value` edits, applied in order before validation
 @throws InputError naming file, line, key, value and remedy. */
Scene ParseScene(const std::string& text, const std::filesystem::path& path,
                 const std::vector<std::string>& overrides = {});

/** Reads a scene from a document, edited or not.
 @param text  becomes Scene::source @param path  where includes start
 @throws InputError as ParseScene. */
Scene ReadScene(Value document, const std::string& text, const std::filesystem::path& path);

}  // namespace intervox::host
