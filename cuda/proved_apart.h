/** @file Proof that two posed cells are apart. */
#pragma once

#include "cuda/metrics.h"

namespace intervox {

/** True when bounds and planes alone show that the cells do not overlap. Nothing that they leave
 open is integrated, so this costs at most what two polytopes cost; the query's rule does not
 matter. */
bool ProvedApart(const PairQuery& query);

}  // namespace intervox
