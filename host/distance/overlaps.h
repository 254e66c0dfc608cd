/** @file Whether the interiors of posed solids meet: yes or no, without the volume. */
#pragma once

#include <span>
#include <string>

#include "cuda/metrics.h"
#include "geometry/cell.h"

namespace intervox::host {

/** What shows that two solids overlap, or that they do not. */
enum class OverlapProof : std::uint8_t {
  kNone,    ///< nothing: the status says why
  kBounds,  ///< no bounds of their cells overlap
  kPlanes,  ///< certified planes between them, or all axes of two boxes
  kPoint,   ///< a point inside both
  kVolume,  ///< the engine's volume, where planes and points did not decide
};

/** Whether two solids overlap, and how that is known. */
struct OverlapTest {
  /// ok: decided; tolerance_not_met: the engine, asked last, met none; invalid: a pose is not
  /// finite, or a solid is empty or malformed.
  Status status = Status::kInvalid;
  std::string reason;                        ///< why, where the status is not ok
  bool overlaps = false;                     ///< the interiors meet; false where not decided
  OverlapProof proof = OverlapProof::kNone;  ///< how that is known
  Vec3 p_W;                                  ///< a point inside both, where `proof` is kPoint [m]
  int steps = 0;                             ///< points that were looked at
};

/** Decides whether the interiors of two posed solids meet, of one cell or several.

 Solids that touch do not overlap: what holds no ball of 1e-12 of the size of the smaller cell
 counts as touching. Never throws for a bad pair. */
OverlapTest TestOverlap(std::span<const geometry::Cell> a, std::span<const geometry::Cell> b,
                        const Pose& X_WA, const Pose& X_WB);

/** The same at many poses on threads (0: all cores): tests[i] belongs to X_WA[i] and X_WB[i]. The
 same for any number of threads. */
void TestOverlaps(std::span<const geometry::Cell> a, std::span<const geometry::Cell> b,
                  std::span<const Pose> X_WA, std::span<const Pose> X_WB, int threads,
                  std::span<OverlapTest> tests);

/** Whether the interiors of two posed solids meet.
 @throws std::runtime_error where TestOverlap does not decide; its message says why. */
bool Overlaps(std::span<const geometry::Cell> a, std::span<const geometry::Cell> b,
              const Pose& X_WA, const Pose& X_WB);

}  // namespace intervox::host
