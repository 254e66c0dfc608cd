// The island's equation: residual, slopes, steps.
#include "host/contact/stage/stage_island.h"

#include <algorithm>
#include <cmath>

#include "cuda/device/executor.h"
#include "host/contact/stage/compact_order.h"

namespace intervox::host::internal {
namespace {

// More contacts of so few bodies are added up by ranges, which go to threads.
constexpr std::size_t kManyContacts = 1024, kFewBodies = 4;
constexpr int kRegion = 1024;  // bodies that lie together, whose contacts add to them together

// The inertia tensor; axes about which a body cannot turn (a planar body) become 1e12 times as
// inert as the others, none at all gives zero.
Mat3 InertiaOf(const Mat3& inverse) {
  const double trace = Trace(inverse);
  if (!(trace > 0.0)) return Mat3::Zero();
  if (Determinant(inverse) > 1e-18 * trace * trace * trace) return Inverse(inverse);
  return Inverse(inverse + (1e-12 * trace) * Mat3::Identity());
}

}  // namespace

void StageIsland::Clear(double H) {
  H_ = H;
  bodies_.clear();
  points_.clear();
  guesses_.clear();
  pairs_.clear();
  drags_.clear();
  joints_.clear();
  multipliers_ = 0;
}

int StageIsland::AddBody(StageBody* body) {
  bodies_.emplace_back().body = body;
  return static_cast<int>(6 * (bodies_.size() - 1));
}

// Takes what the bodies are at y*.
void StageIsland::TakeBodies() {
  std::atomic<bool> has_drags{false};
  ForBodies([&](std::size_t k) {
    FreeBody& b = bodies_[k];
    b.v_star = b.body->v;
    b.w_star = b.body->w;
    b.mass = b.body->inverse_mass > 0.0 ? 1.0 / b.body->inverse_mass : 0.0;
    b.inertia = InertiaOf(b.body->inverse_inertia_W);
    if (b.body->drag != nullptr) has_drags = true;
  });
  if (!has_drags) return;
  for (FreeBody& b : bodies_) {
    if (b.body->drag == nullptr) continue;
    b.drag = static_cast<int>(drags_.size());
    drags_.push_back(MakeDragInertia(H_, *b.body->drag, b.body->p_WM, b.mass, b.inertia));
  }
}

// Sorts points by the region that all their bodies are in; the last region is that of the points
// whose bodies are in two. Depends on the island alone.
void StageIsland::Sort() {
  centers_.resize(bodies_.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) centers_[k] = bodies_[k].body->p_WM;
  CompactOrder(centers_, BlockSolver::kPart, threads_, &order_);
  place_.resize(bodies_.size());
  for (std::size_t p = 0; p < order_.size(); ++p) {
    place_[static_cast<std::size_t>(order_[p])] = static_cast<int>(p);
  }
  const int regions = (static_cast<int>(bodies_.size()) + kRegion - 1) / kRegion;
  first_.assign(static_cast<std::size_t>(regions) + 3, 0);
  region_.resize(points_.size());
  for (std::size_t c = 0; c < points_.size(); ++c) {
    const auto region_of = [&](int body) {
      return place_[static_cast<std::size_t>(body)] / kRegion;
    };
    const int i = pairs_[c].i, j = pairs_[c].j;
    int region = region_of(i >= 0 ? i : j);
    if (i >= 0 && j >= 0 && region_of(j) != region) region = regions;
    region_[c] = region;
    ++first_[static_cast<std::size_t>(region) + 2];
  }
  for (std::size_t k = 2; k < first_.size(); ++k) first_[k] += first_[k - 1];
  sorted_.resize(points_.size());
  for (std::size_t c = 0; c < points_.size(); ++c) {
    int& at = first_[static_cast<std::size_t>(region_[c]) + 1];
    sorted_[static_cast<std::size_t>(at++)] = static_cast<int>(c);
  }
}

// F = M (y − y*) − H Σ Jᵀ w at the bodies' current velocities; its second part is kept, too.
// With `slopes`, those of many bodies are taken on the way. Returns the contacts' largest velocity
// [m/s].
double StageIsland::Evaluate(bool hold, bool slopes) {
  ForBodies([&](std::size_t k) { std::fill_n(residual_.data() + 6 * k, 6, 0.0); });
  Largest fastest;
  if (many_) {
    ForPointsByBody(std::span<StagePoint* const>(points_), [&](std::size_t c) {
      points_[c]->Evaluate(hold, slopes);
      fastest.See(points_[c]->Speed());
      AddToResidual(*points_[c], pairs_[c], residual_.data());
      if (slopes) blocks_.Take(c);
    });
    blocks_.HasTaken(slopes);
  } else {
    EvaluateFew(hold, &fastest);
  }
  EvaluateJoints();
  ForBodies([&](std::size_t k) {
    const FreeBody& b = bodies_[k];
    const Vec3 dv = b.body->v - b.v_star, dw = b.body->w - b.w_star;
    Vec3 p = b.mass * dv, l = b.inertia * dw;
    if (b.drag >= 0) {
      const DragInertia& drag = Drag(b);
      p += drag.K_vv * dv + drag.K_vw * dw;
      l += TransposeTimes(drag.K_vw, dv) + drag.K_ww * dw;
    }
    double* F = residual_.data() + 6 * k;
    std::copy_n(F, 6, pulls_.data() + 6 * k);
    const bool moves = b.mass > 0.0, turns = Trace(b.inertia) > 0.0;
    for (int i = 0; i < 3; ++i) {
      F[i] = moves ? F[i] + p[i] : 0.0;
      F[3 + i] = turns ? F[3 + i] + l[i] : 0.0;
    }
  });
  return fastest.Value();
}

// Of few bodies the contacts of each of several ranges are added up by themselves, then range after
// range.
void StageIsland::EvaluateFew(bool hold, Largest* fastest) {
  const std::size_t n = residual_.size(), ranges = Ranges(points_.size());
  const auto speed_of = [&](std::size_t c, double* residual) {
    points_[c]->Evaluate(hold);
    AddToResidual(*points_[c], pairs_[c], residual);
    return points_[c]->Speed();
  };
  if (ranges == 1) {
    double most = 0.0;
    for (std::size_t c = 0; c < points_.size(); ++c) {
      most = std::max(most, speed_of(c, residual_.data()));
    }
    fastest->See(most);
    return;
  }
  parts_.assign(ranges * n, 0.0);
  ForRangesOfPoints([&](std::size_t range, std::size_t c) {
    fastest->See(speed_of(c, parts_.data() + range * n));
  });
  for (std::size_t k = 0; k < ranges * n; ++k) residual_[k % n] += parts_[k];
}

void StageIsland::AddToResidual(const StagePoint& point, const BodyPair& pair, double* residual) {
  if (!point.active) return;
  const Vec3 force = H_ * point.Force();
  const Vec3 torque = point.is_point ? Vec3{} : H_ * point.Torque();
  const auto add = [&](int body, const Vec3& rho, double sign) {
    if (body < 0) return;
    const Vec3 moment = torque + Cross(rho, force);
    double* F = residual + FirstUnknown(body);
    for (int i = 0; i < 3; ++i) {
      F[i] -= sign * force[i];
      F[3 + i] -= sign * moment[i];
    }
  };
  add(pair.i, point.rho_i, 1.0);
  add(pair.j, point.rho_j, -1.0);
}

void StageIsland::MoveTo(double t) {
  ForBodies([&](std::size_t k) {
    const double* d = step_.data() + 6 * k;
    bodies_[k].body->v = bodies_[k].v_base + t * Vec3{d[0], d[1], d[2]};
    bodies_[k].body->w = bodies_[k].w_base + t * Vec3{d[3], d[4], d[5]};
  });
}

// Adds what a wrench about the centre of mass makes of a body's velocities within a time.
void StageIsland::PushBody(std::size_t k, double time, const Vec3& force, const Vec3& moment) {
  const FreeBody& b = bodies_[k];
  StageBody& body = *b.body;
  if (b.drag >= 0) {
    const DragInertia& drag = Drag(b);
    body.v += time * (drag.A_vv * force + drag.A_vw * moment);
    body.w += time * (TransposeTimes(drag.A_vw, force) + drag.A_ww * moment);
  } else {
    body.v += (time * body.inverse_mass) * force;
    body.w += time * (body.inverse_inertia_W * moment);
  }
}

// Moves the bodies by what Push was given for them.
void StageIsland::PushBodies() {
  ForBodies([&](std::size_t k) {
    FreeBody& b = bodies_[k];
    PushBody(k, H_, b.force, b.moment);
    b.force = b.moment = Vec3{};
  });
}

double StageIsland::Directional() {
  constexpr std::size_t kTogether = 6 * kGrain;
  const auto along = [&](std::size_t begin) {
    double sum = 0.0;
    const std::size_t end = std::min(step_.size(), begin + kTogether);
    for (std::size_t i = begin; i < end; ++i) sum += step_[i] * residual_[i];
    return sum;
  };
  if (step_.size() <= kTogether) return along(0);
  parts_.resize((step_.size() + kTogether - 1) / kTogether);
  cuda::ForEach(parts_.size(), 1, threads_,
                [&](std::size_t r) { parts_[r] = along(r * kTogether); });
  double sum = 0.0;
  for (const double part : parts_) sum += part;
  return sum;
}

// How far the velocities are from what the forces make of y*, the arms counted in [m/s].
double StageIsland::Residual() const {
  return LargestOf(bodies_.size(), [&](std::size_t k) {
    const double* F = residual_.data() + 6 * k;
    const StageBody& body = *bodies_[k].body;
    const Vec3 p{F[0], F[1], F[2]}, l{F[3], F[4], F[5]};
    Vec3 dv = body.inverse_mass * p, dw = body.inverse_inertia_W * l;
    if (bodies_[k].drag >= 0) {
      const DragInertia& drag = Drag(bodies_[k]);
      dv = drag.A_vv * p + drag.A_vw * l;
      dw = TransposeTimes(drag.A_vw, p) + drag.A_ww * l;
    }
    return Norm(dv) + bodies_[k].reach * Norm(dw);
  });
}

double StageIsland::StepLength() const {
  return LargestOf(bodies_.size(), [&](std::size_t k) {
    const double* d = step_.data() + 6 * k;
    return Norm(Vec3{d[0], d[1], d[2]}) + bodies_[k].reach * Norm(Vec3{d[3], d[4], d[5]});
  });
}

// The dense matrix.
void StageIsland::Assemble(bool coupled) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    matrix_.AddBody(k, bodies_[k].mass, bodies_[k].inertia);
    if (bodies_[k].drag >= 0) matrix_.AddDrag(k, Drag(bodies_[k]));
  }
  if (points_.size() <= kManyContacts || bodies_.size() > kFewBodies || !joints_.empty()) {
    for (std::size_t c = 0; c < points_.size(); ++c) {
      if (pairs_[c].acts) matrix_.AddContact(*points_[c], pairs_[c], coupled);
    }
  } else {
    part_matrices_.resize(Ranges(points_.size()));
    for (IslandMatrix& part : part_matrices_) part.Reset(bodies_.size());
    ForRangesOfPoints([&](std::size_t range, std::size_t c) {
      if (pairs_[c].acts) part_matrices_[range].AddContact(*points_[c], pairs_[c], coupled);
    });
    for (const IslandMatrix& part : part_matrices_) matrix_.Add(part);
  }
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    if (bodies_[k].mass == 0.0) matrix_.Lock(6 * k);
    if (Trace(bodies_[k].inertia) == 0.0) matrix_.Lock(6 * k + 3);
  }
}

// Δ = −(dF/dy)⁻¹ F, for many bodies up to `tolerance` of F; returns Δ·F, which is negative where Δ
// leads down.
double StageIsland::NewtonStep(bool coupled, double tolerance) {
  if (many_) {
    if (!blocks_.SolveNegative(residual_, coupled, tolerance, threads_, step_)) return 0.0;
  } else if (!joints_.empty()) {
    matrix_.Reset(body_at_, multiplier_at_);
    AssembleJoints(&matrix_);
    Assemble(coupled);
    if (!SolveWithJoints()) return 0.0;
  } else {
    matrix_.Reset(bodies_.size());
    Assemble(coupled);
    if (!matrix_.SolveNegative(residual_, step_)) return 0.0;
  }
  return Directional();
}

}  // namespace intervox::host::internal
