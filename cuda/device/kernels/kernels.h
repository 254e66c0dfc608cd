/** @file The kernels by name: one for each step of a pair, each compiled by itself. */
#pragma once

#include "cuda/device/batch.h"

namespace intervox::cuda {

/** A kernel that takes a Batch, one thread for each entry of its list. */
struct Kernel {
  const char* name = "";
  const void* function = nullptr;   ///< as cudaLaunchKernel takes it
  std::size_t bytes_of_thread = 0;  ///< of Batch::d_memory
  const char* entries = "pairs";    ///< what its list is of, for errors
};

/** Frames, closed forms, bounds that are apart. */
Kernel BeginKernel();
/** Pairs that only planes bound. */
Kernel PlanesKernel();
/** Pegs in holes, as they are. */
Kernel PegKernel();
/** Surfaces of pairs with curved ones. */
Kernel PrepareKernel();
/** PolytopeRule: where planes alone are left. */
Kernel PolytopeKernel();
/** SliceRule. */
Kernel SliceKernel();
/** PolarRule. */
Kernel PolarKernel();
/** FluxRule. */
Kernel FluxKernel();
/** ColumnRule. */
Kernel ColumnKernel();
/** ClipRule. */
Kernel ClipKernel();
/** CenterRule. */
Kernel CenterKernel();
/** A lane of a level of a grid's pair: for lists of lanes. */
Kernel GridKernel();

}  // namespace intervox::cuda
