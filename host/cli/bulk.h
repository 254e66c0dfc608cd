/** @file Metrics of one pair at many poses. */
#pragma once

#include <string>

#include "host/scene/pairs.h"
#include "host/scene/shape_metrics.h"

namespace intervox::cli {

/** Measures the one pair of `file` at each pose of an n × 7 array (position, quaternion w x y z of
 A in B) and writes columns to `out`, .npz or else HDF5, in the world axes that the pair's pose_b
 gives.
 @return the exit status: 1 when some pose has neither ok nor disjoint.
 @throws host::InputError for bad arrays, several pairs, zero quaternions. */
int MeasureBulk(const Engine& engine, const PairsFile& file, const std::string& file_name,
                const std::string& poses, const std::string& out,
                const host::MeasureOptions& options);

}  // namespace intervox::cli
