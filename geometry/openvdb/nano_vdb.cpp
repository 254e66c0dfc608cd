#include "geometry/openvdb/nano_vdb.h"

#include <iostream>

// After <iostream>, which its validator lacks.
#include <nanovdb/util/GridValidator.h>
#include <nanovdb/util/IO.h>
#include <nanovdb/util/NodeManager.h>

#include <set>
#include <stdexcept>

#include "geometry/child_bytes.h"

namespace intervox::geometry {
namespace {

/** The places of the nodes that leaves lie in, whose sides are 2^log2 voxels. */
class NodePlaces {
 public:
  explicit NodePlaces(int log2) : log2_(log2) {}
  void Add(const nanovdb::Coord& leaf) {
    places_.insert({leaf[0] >> log2_, leaf[1] >> log2_, leaf[2] >> log2_});
  }
  std::size_t Count() const { return places_.size(); }

 private:
  int log2_;
  std::set<std::array<int, 3>> places_;
};

/** Packs a grid of any kind of floats. */
template <class Float>
void PackGrid(const nanovdb::GridHandle<>& handle, ChildWriter* out) {
  const nanovdb::NanoGrid<Float>* grid = handle.template grid<Float>();
  if (grid == nullptr || !nanovdb::isValid(*grid, true)) {
    throw std::runtime_error("checksums differ");
  }
  out->Put(static_cast<float>(grid->tree().background()));
  for (const double of_scale : grid->map().mMatD) out->Put(of_scale);
  for (const double of_place : grid->map().mVecD) out->Put(of_place);
  // Leaves of variable precision have sizes of their own.
  const auto nodes = nanovdb::createNodeManager(*grid);
  const auto* manager = nodes.template mgr<Float>();
  NodePlaces lower(7), upper(12);
  out->Put(static_cast<std::size_t>(manager->nodeCount(0)));
  for (std::uint32_t n = 0; n < manager->nodeCount(0); ++n) {
    const auto& from = manager->leaf(n);
    const nanovdb::Coord at = from.origin();
    lower.Add(at);
    upper.Add(at);
    NanoLeaf leaf{{at[0], at[1], at[2]}, {}, {}};
    for (std::uint32_t k = 0; k < leaf.levels.size(); ++k) {
      leaf.levels[k] = from.getValue(k);
      if (from.valueMask().isOn(k)) leaf.active[k / 64] |= std::uint64_t{1} << (k % 64);
    }
    out->Put(leaf);
  }
  // Whoever makes a tree of the leaves makes these nodes, each a hundred times a leaf's size.
  if (lower.Count() > manager->nodeCount(1) || upper.Count() > manager->nodeCount(2)) {
    throw std::runtime_error("leaves lie outside their nodes");
  }
}

void PackGridOfAnyKind(const nanovdb::GridHandle<>& handle, ChildWriter* out) {
  switch (handle.gridMetaData()->gridType()) {
    case nanovdb::GridType::Float:
      return PackGrid<float>(handle, out);
    case nanovdb::GridType::Fp4:
      return PackGrid<nanovdb::Fp4>(handle, out);
    case nanovdb::GridType::Fp8:
      return PackGrid<nanovdb::Fp8>(handle, out);
    case nanovdb::GridType::Fp16:
      return PackGrid<nanovdb::Fp16>(handle, out);
    case nanovdb::GridType::FpN:
      return PackGrid<nanovdb::FpN>(handle, out);
    default:
      throw std::runtime_error("a level set that holds no floats");
  }
}

}  // namespace

std::string PackNanoVdb(const std::filesystem::path& path) {
  const auto handles = nanovdb::io::readGrids(path.string());
  std::string contents;
  const nanovdb::GridHandle<>* found = nullptr;
  int count = 0;
  for (const nanovdb::GridHandle<>& handle : handles) {
    const nanovdb::GridMetaData* meta = handle.gridMetaData();
    if (meta == nullptr) throw std::runtime_error("a grid without a head");
    contents += (contents.empty() ? "'" : ", '") + std::string(meta->shortGridName()) + "' (" +
                nanovdb::toStr(meta->gridClass()) + " of " + nanovdb::toStr(meta->gridType()) + ")";
    if (meta->gridClass() != nanovdb::GridClass::LevelSet) continue;
    found = &handle;
    ++count;
  }
  ChildWriter out;
  out.PutText(contents);
  out.Put(count == 1);
  if (count == 1) {
    out.PutText(found->gridMetaData()->shortGridName());
    PackGridOfAnyKind(*found, &out);
  }
  return out.Take();
}

NanoLevelSet UnpackNanoVdb(std::string_view bytes) {
  ChildReader in(bytes);
  NanoLevelSet read;
  read.contents = in.Text();
  read.found = in.Get<char>() != 0;
  if (!read.found) return read;
  read.name = in.Text();
  read.background = in.Get<float>();
  read.scale = in.Get<std::array<double, 9>>();
  read.place = in.Get<std::array<double, 3>>();
  read.leaves.resize(in.Count(sizeof(NanoLeaf)));
  for (NanoLeaf& leaf : read.leaves) leaf = in.Get<NanoLeaf>();
  return read;
}

}  // namespace intervox::geometry
