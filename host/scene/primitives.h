/** @file Primitives in files: their keys, their reader and their writer. */
#pragma once

#include <string>
#include <vector>

#include "geometry/shape.h"
#include "host/scene/cursor.h"
#include "host/scene/keys.h"

namespace intervox::host {

/** The key of each primitive in the object "shape". */
std::vector<Key> PrimitiveKeys();

/** The objects that these keys hold. */
std::vector<Object> PrimitiveObjects();

/** The primitive that a key says.
 @param cursor  the key's value, validated
 @throws InputError for a key that is no primitive's, and for values that make no solid. */
geometry::Primitive ReadPrimitive(const Cursor& cursor, const std::string& key);

/** "KEY: VALUE" of a primitive, which reads back to the same bits. */
std::string PrimitiveText(const geometry::Primitive& primitive);

}  // namespace intervox::host
