/** @file Which bodies touch, by which model. */
#pragma once

#include <string>

#include "host/scene/scene.h"
#include "host/scene/shapes.h"

namespace intervox::host {

/** @throws InputError at the cursor, with the nearest name, unless a body or `also` is named so. */
void RequireBody(const Cursor& cursor, const std::string& name, const std::string& also,
                 const Scene& scene);

/** The section `contacts`, after bodies and contact models. @throws InputError. */
void ReadContacts(const Cursor& root, Scene* scene);

/** Makes each contact model once for each pair of materials that it meets, so that its laws check
 their parameters; their warnings join the scene's.
 @throws InputError naming the line of the model. */
void CheckModels(const Library& library, Scene* scene);

}  // namespace intervox::host
