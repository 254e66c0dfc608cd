/** @file The cells of a body: listed one by one, or cut from its solid. */
#pragma once

#include <string>
#include <vector>

#include "geometry/shape.h"
#include "host/scene/cursor.h"
#include "host/scene/scene.h"

namespace intervox::host {

/** One listed cell: a shape that is exactly one cell.
 @throws InputError at the cursor when it is more, or none. */
geometry::Cell ReadCell(const Cursor& cursor, const geometry::ShapePtr& shape);

/** Cells of one body must not share volume, or it would count twice. Touching is fine.
 @throws InputError at the later one of two that do. */
void RefuseOverlaps(const Cursor& list, const std::vector<geometry::Cell>& cells);

/** Cuts a body's solid into cells, unless that is done, to find what only building can find.
 @param place  where the solid is written: "FILE:LINE: KEY"; empty: at the cursor
 @throws InputError for empty solids, and endless ones of free bodies without an inertia. */
void BuildSolid(const Cursor& cursor, const std::string& place, const geometry::ShapePtr& shape,
                const BodySettings& body, std::vector<geometry::Cell>* cut);

}  // namespace intervox::host
