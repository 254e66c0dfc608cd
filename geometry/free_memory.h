/** @file How much memory there is. */
#pragma once

namespace intervox::geometry {

/** The memory that this process can get now without others losing theirs [bytes]: what is free, or
 only holds copies of files, and no more than its control group has left. */
double FreeMemory();

}  // namespace intervox::geometry
