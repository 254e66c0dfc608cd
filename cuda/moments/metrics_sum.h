/** @file Sums of metrics over disjoint parts. */
#pragma once

#include <span>

#include "cuda/metrics.h"

namespace intervox {

/** Adds the metrics of disjoint parts: volumes, moments about the common centroid, area vectors and
 their moments; the status becomes the worst, except that parts may miss their own tolerance where
 the sum meets it. A tolerance of infinity accepts whatever a rule has measured. Sums run about the
 first part's centroid, so that parts far from the world's origin keep their digits. */
InterferenceMetrics SumOfParts(std::span<const InterferenceMetrics> parts, double tolerance);

}  // namespace intervox
