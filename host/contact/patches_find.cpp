#include "host/contact/patches_find.h"

#include <cmath>
#include <limits>

namespace intervox::host {
namespace {

/** What a pair costs about, and the work from which threads pay [µs]. Decides who computes, never
 what: the result has the same bits. */
constexpr double kPolytopeCost = 1.5;
constexpr double kCurvedCost = 12.0;
constexpr double kThreadedCost = 60.0;

/** Rounding allowance of the box tests, relative to the boxes. */
constexpr double kRounding = 1e-10;

/** Largest n·x over a box. */
double Reach(const CellBox& box, const Vec3& n) {
  const Vec3 along = Abs(TransposeTimes(box.R, n));
  return Dot(along, box.half);
}

/** Whether a plane of `cell` has all of `box` on its outer side, where X takes the box's frame to
 the cell's. */
bool PlaneSeparates(const CellBox& cell, const CellBox& box, const Pose& X, double margin) {
  const Vec3 center = X * box.center;
  for (std::size_t k = 0; k < cell.plane_normals.size(); ++k) {
    const Vec3& n = cell.plane_normals[k];
    const double reach = Reach(box, TransposeTimes(X.R, n));
    if (Dot(n, center) - reach > cell.plane_offsets[k] + margin + kRounding * box.radius) {
      return true;
    }
  }
  return false;
}

/** Separating axes of two boxes in the first one's axes: R takes b's axes to a's, t from centre to
 centre. */
bool BoxesOverlap(const Vec3& half_a, const Vec3& half_b, const Mat3& R, const Vec3& t) {
  const Mat3 Q{Abs(R.row0), Abs(R.row1), Abs(R.row2)};
  for (int i = 0; i < 3; ++i) {
    if (std::fabs(t[i]) > half_a[i] + Dot(Q.Row(i), half_b)) return false;
  }
  for (int j = 0; j < 3; ++j) {
    if (std::fabs(Dot(t, R.Col(j))) > half_b[j] + Dot(Q.Col(j), half_a)) return false;
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double ra = half_a[i1] * Q(i2, j) + half_a[i2] * Q(i1, j);
      const double rb = half_b[j1] * Q(i, j2) + half_b[j2] * Q(i, j1);
      if (std::fabs(t[i2] * R(i1, j) - t[i1] * R(i2, j)) > ra + rb) return false;
    }
  }
  return true;
}

double FrobeniusDistance(const Mat3& A, const Mat3& B) {
  const Mat3 D = A - B;
  return std::sqrt(SquaredNorm(D.row0) + SquaredNorm(D.row1) + SquaredNorm(D.row2));
}

/** Bound on how far any point of a ball has moved between two relative poses. */
double Displacement(const Pose& now, const Pose& then, const BodyCells& ball) {
  return Norm(now * ball.center - then * ball.center) +
         FrobeniusDistance(now.R, then.R) * ball.radius;
}

}  // namespace

BodyCells MakeBodyCells(std::span<const geometry::Cell> cells) {
  BodyCells out;
  out.cells = cells;
  Vec3 lower{1e300, 1e300, 1e300}, upper{-1e300, -1e300, -1e300};
  for (const geometry::Cell& cell : cells) {
    CellBox box;
    const Vec3& half = cell.bounds.half;
    box.bounded = cell.bounded && std::isfinite(half.x + half.y + half.z);
    if (box.bounded) {
      box.center = cell.bounds.X.p;
      box.R = cell.bounds.X.R;
      box.radius = Norm(half);
      const double slack = kRounding * box.radius;
      box.half = half + Vec3{slack, slack, slack};
      const Vec3 r{box.radius, box.radius, box.radius};
      lower = Min(lower, box.center - r);
      upper = Max(upper, box.center + r);
    } else {
      out.bounded = false;
      for (const geometry::Surface& surface : cell.surfaces) {
        if (surface.kind != geometry::SurfaceKind::kPlane) continue;
        const Vec3 n = static_cast<double>(surface.side) * surface.PlaneNormal();
        box.plane_normals.push_back(n);
        box.plane_offsets.push_back(Dot(n, surface.o));
      }
    }
    out.boxes.push_back(std::move(box));
  }
  if (out.bounded && !cells.empty()) {
    out.center = 0.5 * (lower + upper);
    for (const CellBox& box : out.boxes) {
      out.radius = std::fmax(out.radius, Norm(box.center - out.center) + box.radius);
    }
  }
  return out;
}

bool MayTouch(const CellBox& a, const CellBox& b, const Pose& X_IJ, double margin) {
  if (!a.bounded && !b.bounded) return true;
  if (!a.bounded) return !PlaneSeparates(a, b, X_IJ, margin);
  if (!b.bounded) return !PlaneSeparates(b, a, Inverse(X_IJ), margin);
  const Vec3 d = X_IJ * b.center - a.center;
  const double reach = a.radius + b.radius + margin;
  if (SquaredNorm(d) > reach * reach * (1 + kRounding)) return false;
  const Mat3 R = Transpose(a.R) * (X_IJ.R * b.R);
  return BoxesOverlap(a.half + Vec3{margin, margin, margin}, b.half, R, TransposeTimes(a.R, d));
}

void PairFinder::AddBodyPair(int body_i, int body_j, const BodyCells* cells_i,
                             const BodyCells* cells_j) {
  BodyPairCells pair;
  pair.i = body_i;
  pair.j = body_j;
  pair.cells_i = cells_i;
  pair.cells_j = cells_j;
  body_pairs_.push_back(std::move(pair));
}

void PairFinder::UpdateCandidates(const Pose& X_IJ, BodyPairCells* pair) {
  const BodyCells& I = *pair->cells_i;
  const BodyCells& J = *pair->cells_j;
  const bool movable = I.bounded || J.bounded;
  // A point of the bounded body seen from the other one; nothing moves an infinite list.
  double moved = 0.0;
  if (pair->margin >= 0 && movable) {
    moved = J.bounded ? Displacement(X_IJ, pair->X_listed, J)
                      : Displacement(Inverse(X_IJ), Inverse(pair->X_listed), I);
  }
  if (pair->margin >= 0 && moved <= pair->margin) return;

  const double radius = J.bounded && I.bounded ? std::fmin(I.radius, J.radius)
                        : J.bounded            ? J.radius
                                               : I.radius;
  pair->margin = 0.01 * radius;
  pair->X_listed = X_IJ;
  pair->candidates.clear();
  if (I.bounded && J.bounded) {
    const double reach = I.radius + J.radius + pair->margin;
    const Vec3 d = X_IJ * J.center - I.center;
    if (SquaredNorm(d) > reach * reach * (1 + kRounding)) {
      // Far apart: the empty list holds until the balls can meet.
      pair->margin += 0.5 * (Norm(d) - reach);
      return;
    }
  }
  for (std::size_t a = 0; a < I.boxes.size(); ++a) {
    for (std::size_t b = 0; b < J.boxes.size(); ++b) {
      if (MayTouch(I.boxes[a], J.boxes[b], X_IJ, pair->margin)) {
        pair->candidates.push_back({static_cast<int>(a), static_cast<int>(b)});
      }
    }
  }
}

std::span<const ActivePair> PairFinder::Find(std::span<const Pose> X_WB) {
  queries_.clear();
  queried_.clear();
  active_.clear();
  double cost = 0.0;
  for (std::size_t k = 0; k < body_pairs_.size(); ++k) {
    BodyPairCells& pair = body_pairs_[k];
    const Pose& X_WI = X_WB[static_cast<std::size_t>(pair.i)];
    const Pose& X_WJ = X_WB[static_cast<std::size_t>(pair.j)];
    const Pose X_IJ{Transpose(X_WI.R) * X_WJ.R, TransposeTimes(X_WI.R, X_WJ.p - X_WI.p)};
    UpdateCandidates(X_IJ, &pair);
    for (const Candidate& c : pair.candidates) {
      const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
      if (!MayTouch(pair.cells_i->boxes[a], pair.cells_j->boxes[b], X_IJ, 0.0)) continue;
      const bool flat = pair.cells_i->cells[a].polytope && pair.cells_j->cells[b].polytope;
      cost += flat ? kPolytopeCost : kCurvedCost;
      queries_.push_back({&pair.cells_i->cells[a], &pair.cells_j->cells[b], X_WI, X_WJ,
                          settings_.tolerance, settings_.voxel_size, settings_.rule,
                          settings_.volume_floor});
      queried_.push_back({static_cast<int>(k), c.a, c.b, {}});
    }
  }
  metrics_.resize(queries_.size());
  if (cost >= kThreadedCost && engine_->options().device != Device::kSerial) {
    engine_->Compute(queries_, metrics_);
  } else {
    for (std::size_t q = 0; q < queries_.size(); ++q) metrics_[q] = ComputeMetrics(queries_[q]);
  }
  query_count_ += static_cast<std::int64_t>(queries_.size());
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    const InterferenceMetrics& metrics = metrics_[q];
    if (metrics.status != Status::kOk && metrics.status != Status::kDisjoint) ++failure_count_;
    const bool usable = metrics.status == Status::kOk || metrics.status == Status::kToleranceNotMet;
    if (!usable || !(metrics.volume > 0)) continue;
    active_.push_back(queried_[q]);
    active_.back().metrics = metrics;
  }
  return active_;
}

}  // namespace intervox::host
