#include "cuda/broad_phase.h"

#include <limits>

#include "cuda/pair_frame.h"

namespace intervox {

namespace {

// Covers the rounding of posed boxes, relative to their coordinates.
constexpr double kSlack = 1e-12;

struct Box {
  Vec3 centre;
  Vec3 half;  // infinite for unbounded cells
};

Box BoxOf(const geometry::Cell& cell, const Pose& X) {
  if (!cell.bounded) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {{}, {kInfinity, kInfinity, kInfinity}};
  }
  const Mat3 R = X.R * cell.bounds.X.R;
  const Vec3& h = cell.bounds.half;
  Box box;
  box.centre = X * cell.bounds.X.p;
  box.half = {Dot(Abs(R.row0), h), Dot(Abs(R.row1), h), Dot(Abs(R.row2), h)};
  box.half += kSlack * (box.half + Abs(box.centre));
  return box;
}

bool Overlap(const Box& a, const Box& b) {
  const Vec3 gap = Abs(a.centre - b.centre) - a.half - b.half;
  return gap.x <= 0 && gap.y <= 0 && gap.z <= 0;
}

}  // namespace

void FindCandidates(const BodyCells& a, const BodyCells& b, std::vector<CellPair>* pairs) {
  thread_local std::vector<Box> boxes;
  pairs->clear();
  // A as seen from B; positions are subtracted before they are turned.
  const Pose X_BA{Transpose(b.X_WB.R) * a.X_WB.R, TransposeTimes(b.X_WB.R, a.X_WB.p - b.X_WB.p)};
  boxes.clear();
  for (const geometry::Cell& cell : b.cells) boxes.push_back(BoxOf(cell, Pose::Identity()));
  cuda::PairFrame frame;
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    const Box box = BoxOf(a.cells[i], X_BA);
    for (std::size_t j = 0; j < boxes.size(); ++j) {
      if (!Overlap(box, boxes[j])) continue;
      frame.a = cuda::MakeView(a.cells[i]);
      frame.b = cuda::MakeView(b.cells[j]);
      frame.X_LA = X_BA;
      frame.first = frame.a.bounded ? 0 : frame.b.bounded ? 1 : -1;
      if (cuda::AreApart(frame)) continue;
      pairs->push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
    }
  }
}

}  // namespace intervox
