#include "geometry/openvdb/nano_vdb.h"

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>

// After OpenVDB's, which bring what these lack.
#include <nanovdb/util/GridValidator.h>
#include <nanovdb/util/IO.h>
#include <nanovdb/util/NodeManager.h>

#include <sstream>
#include <stdexcept>

namespace intervox::geometry {
namespace {

using openvdb::FloatGrid;

/** Copies the leaves of a NanoVDB grid of any kind of floats; null where the buffer is damaged. */
template <class Float>
FloatGrid* CopyLeaves(const nanovdb::GridHandle<>& handle) {
  const nanovdb::NanoGrid<Float>* from = handle.template grid<Float>();
  if (from == nullptr || !nanovdb::isValid(*from, true)) return nullptr;
  // A child's grids are left to its end: OpenVDB takes trees apart with threads.
  auto* grid = new FloatGrid(from->tree().background());
  const nanovdb::Map& map = from->map();
  openvdb::Mat4d matrix = openvdb::Mat4d::identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) matrix(j, i) = map.mMatD[3 * i + j];
    matrix(3, i) = map.mVecD[i];
  }
  grid->setTransform(openvdb::math::Transform::createLinearTransform(matrix));
  // Leaves of variable precision have sizes of their own.
  const auto nodes = nanovdb::createNodeManager(*from);
  const auto* manager = nodes.template mgr<Float>();
  for (std::uint32_t n = 0; n < manager->nodeCount(0); ++n) {
    const auto& leaf = manager->leaf(n);
    const nanovdb::Coord at = leaf.origin();
    auto* to = grid->tree().touchLeaf(openvdb::Coord(at[0], at[1], at[2]));
    for (openvdb::Index k = 0; k < FloatGrid::TreeType::LeafNodeType::SIZE; ++k) {
      to->setValueOnly(k, leaf.getValue(k));
      to->setActiveState(k, leaf.valueMask().isOn(k));
    }
  }
  return grid;
}

/** The grid of a buffer; null where it holds no floats. */
FloatGrid* CopyGrid(const nanovdb::GridHandle<>& handle) {
  switch (handle.gridMetaData()->gridType()) {
    case nanovdb::GridType::Float:
      return CopyLeaves<float>(handle);
    case nanovdb::GridType::Fp4:
      return CopyLeaves<nanovdb::Fp4>(handle);
    case nanovdb::GridType::Fp8:
      return CopyLeaves<nanovdb::Fp8>(handle);
    case nanovdb::GridType::Fp16:
      return CopyLeaves<nanovdb::Fp16>(handle);
    case nanovdb::GridType::FpN:
      return CopyLeaves<nanovdb::FpN>(handle);
    default:
      return nullptr;
  }
}

}  // namespace

std::string NanoVdbAsStream(const std::filesystem::path& path) {
  std::string names;
  FloatGrid* found = nullptr;
  int count = 0;
  for (const nanovdb::GridHandle<>& handle : nanovdb::io::readGrids(path.string())) {
    const nanovdb::GridMetaData* meta = handle.gridMetaData();
    if (meta == nullptr) throw std::runtime_error("a grid without a head");
    names += (names.empty() ? "'" : ", '") + std::string(meta->shortGridName()) + "' (" +
             nanovdb::toStr(meta->gridClass()) + " of " + nanovdb::toStr(meta->gridType()) + ")";
    if (meta->gridClass() != nanovdb::GridClass::LevelSet) continue;
    FloatGrid* grid = CopyGrid(handle);
    if (grid == nullptr) throw std::runtime_error("checksums differ, or it holds no floats");
    grid->setName(meta->shortGridName());
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    found = grid;
    ++count;
  }
  std::ostringstream out;
  out << names << '\0';
  if (count == 1) {
    const auto* shared = new FloatGrid::Ptr(found);  // left to the child's end, too
    openvdb::io::Stream(out).write(openvdb::GridCPtrVec{*shared});
  }
  return out.str();
}

}  // namespace intervox::geometry
