/** @file Every fault of a document at once. */
#pragma once

#include "host/input/faults.h"
#include "host/scene/cursor.h"

namespace intervox::host {

/** Checks a document as Validate does.
 @param faults  gathers one fault of each key, and of each item or entry of its value */
void ValidateAll(const Cursor& root, const Object& object, Faults* faults);

}  // namespace intervox::host
