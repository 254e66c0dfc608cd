/** @file Boxes that enclose the volume of a pair of cells, divided where they know least. */
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cuda/certify/axes.h"
#include "cuda/certify/grid_level.h"
#include "cuda/certify/share.h"

namespace intervox::cuda::internal::certify {

/** A parallelepiped x = p + F u, |u_i| ≤ 1, and the surfaces of a pair over it. */
struct Frame {
  Vec3 p;
  Mat3 F;
  std::vector<FrameLevel> levels;
  std::vector<GridField> grids;  ///< counted behind the levels
  double voxel = 0;              ///< edge of the voxels that boxes follow; 0: none
  double determinant = 0;        ///< |det F| to 1e-14 of itself [m³]

  /** How many levels there are. */
  std::size_t Count() const { return levels.size() + grids.size(); }
  /** The level with that number over a box. */
  BoxLevel Over(std::size_t index, const Vec3& c, const Vec3& h) const {
    return index < levels.size() ? LevelOver(levels[index], c, h)
                                 : LevelOver(grids[index - levels.size()], c, h);
  }
};

/** A box with what is known of the volume in it [m³]. */
struct KnownBox {
  Box box;
  std::int32_t frame = 0;
  std::int32_t order = 0;  ///< of making: breaks ties
  double lower = 0;
  double upper = 0;
  /** Surfaces that may cut it; count −1: more than fit, ask all. */
  std::array<std::uint16_t, 10> active{};
  std::int8_t count = -1;
};

/** Boxes in the order of upper − lower, and their sums. */
class Search {
 public:
  /** Adds a pair of cells posed in a frame L, of which one is bounded; finds the frame in which
   boxes serve best. Around tori in sectors, each with its own frame. */
  void AddPair(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_LA,
               const Pose& X_LB);

  /** The same of a pair of which one cell at least has a grid: boxes follow its voxels. */
  void AddGridPair(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_LA,
                   const Pose& X_LB);

  /** Divides boxes until upper − lower ≤ 2 tolerance · lower, or `most` boxes were looked into. */
  void Run(double tolerance, std::int64_t most);

  /** The sums over all boxes [m³]. */
  geometry::Bounds Sum() const;
  /** How many boxes were looked into. */
  std::int64_t boxes() const { return boxes_; }

 private:
  struct Trial;
  void AddPart(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_LA, const Pose& X_LB,
               int splits);
  Trial Try(const Region& region, int splits);
  void Keep(Trial* trial);
  void Spend(Trial* trial, int splits);
  bool Look(const Frame& frame, KnownBox* known);
  static Vec3 ChangeOver(const Frame& frame, const KnownBox& known);
  void Divide(const Frame& frame, const KnownBox& known, std::vector<KnownBox>* out);
  /** Divides the open box of which least is known, and keeps the sums of `lower` and of what is not
   known. A box that cannot be divided, or of which all is known, is closed. */
  void DivideOne(const Frame& frame, std::vector<KnownBox>* open, std::vector<KnownBox>* closed,
                 double* lower, double* gap);

  std::vector<Frame> frames_;
  std::vector<KnownBox> open_;  // a heap
  std::vector<KnownBox> closed_;
  std::vector<BoxLevel> scratch_;
  std::vector<KnownBox> children_;
  std::int64_t boxes_ = 0;
  std::int32_t made_ = 0;
  PosedCells cells_;  // that are being added
};

}  // namespace intervox::cuda::internal::certify
