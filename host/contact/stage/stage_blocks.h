/** @file What bodies and contacts add to the slope of an island's stage equation. Blocks are 6 × 6
 (v, then ω), their rows `stride` doubles apart. */
#pragma once

#include <cstddef>

#include "host/contact/stage/stage_drag.h"
#include "host/contact/stage/stage_point.h"

namespace intervox::host::internal {

/** Four doubles, wherever they begin. */
using Pack [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

/** The four doubles that begin at p. */
inline Pack& PackAt(double* p) { return *reinterpret_cast<Pack*>(p); }
/** @copydoc PackAt */
inline const Pack& PackAt(const double* p) { return *reinterpret_cast<const Pack*>(p); }

/** Adds a body's mass and inertia [kg], [kg·m²] to its diagonal block. */
void AddInertia(double mass, const Mat3& inertia, double* block, std::size_t stride);

/** Adds hγ K of a body's drag to its diagonal block. */
void AddDrag(const DragInertia& drag, double* block, std::size_t stride);

/** Adds H Jᵀ C J of a contact to the blocks at[row side][column side]; side 0 is body i. A side
 without a row (not free) is left out. Eight doubles of each row are touched, of which the last two
 get 0 added. `coupled` counts the load's effect on friction. */
void AddContactBlocks(const StagePoint& point, bool coupled, double* const at[2][2],
                      std::size_t stride);

}  // namespace intervox::host::internal
