#include "cuda/certify/certify.h"

#include <limits>

#include "cuda/certify/search.h"
#include "cuda/pair_frame.h"

namespace intervox {
namespace {

bool IsPose(const Pose& X) {
  return cuda::internal::IsFinite(X.p) && cuda::internal::IsRotation(X.R);
}

}  // namespace

VolumeEnclosure CertifyVolume(std::span<const geometry::Cell> a, std::span<const geometry::Cell> b,
                              const Pose& X_WA, const Pose& X_WB, const CertifyOptions& options) {
  VolumeEnclosure out;
  out.upper = std::numeric_limits<double>::infinity();
  if (!IsPose(X_WA) || !IsPose(X_WB)) {
    out.status = Status::kInvalid;
    return out;
  }
  // The frame L has world axes and A's origin.
  const Pose X_LA{X_WA.R, {}}, X_LB{X_WB.R, X_WB.p - X_WA.p};
  cuda::internal::certify::Search search;
  for (const geometry::Cell& cell_a : a) {
    for (const geometry::Cell& cell_b : b) {
      if (!cell_a.bounded && !cell_b.bounded) {
        out.status = Status::kUnbounded;
        return out;
      }
      if (cell_a.grid.field != nullptr || cell_b.grid.field != nullptr) {
        search.AddGridPair(cell_a, cell_b, X_LA, X_LB);
      } else {
        search.AddPair(cell_a, cell_b, X_LA, X_LB);
      }
    }
  }
  search.Run(options.tolerance, options.most_boxes);
  const geometry::Bounds sum = search.Sum();
  out.lower = sum.lo;
  out.upper = sum.hi;
  out.boxes = search.boxes();
  const bool narrow = out.upper - out.lower <= 2 * options.tolerance * out.lower;
  out.status = !(out.upper > 0) ? Status::kDisjoint
               : narrow         ? Status::kOk
                                : Status::kToleranceNotMet;
  return out;
}

}  // namespace intervox
