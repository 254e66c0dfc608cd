// The stage equation in the velocities alone. The contact states are eliminated inside the friction
// law, so each contact's wrench w(y) is an explicit, almost everywhere differentiable function of
// the bodies' velocities, and M (y − y*) − hγ Σ Jᵀ w(J y) = 0 has six unknowns for each free body,
// however many contacts there are: twenty patches under one box cost twenty evaluations, not a
// redundant system of twenty blocks. It is solved by Newton's method with exact slopes, island by
// island; because −w is monotone (up to the load's effect on friction, and to Stribeck's falling
// branch, whose weight s is held when it does not settle), a search along the step for the zero of
// Δ·residual makes it safe across the kinks of clamping and sticking.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "host/contact/island_matrix.h"
#include "host/contact/stage_drag.h"
#include "host/contact/stage_point.h"

namespace intervox::host {
namespace {

using internal::DragInertia;
using internal::StagePoint;

// What a sweep may change besides the velocities. Nearly all stages end within kFreeWeights.
constexpr int kFreeWeights = 6;       // Up to here s follows the velocity,
constexpr int kImprovedWeights = 14;  // to here by the secant method, then it is held.
constexpr int kHeld = 22;  // From here friction takes a held load, which makes the problem monotone
constexpr int kFixed = 45;  // and which is averaged with f_n when that has settled, to here.
constexpr int kStuck = 50;  // From here s = 1: with a half-way s the law need not be monotone.
constexpr int kMostIterations = 70;
constexpr int kMostSearch = 12;
constexpr double kTolerance = 1e-9;        // of the velocity scale
constexpr double kWeightTolerance = 1e-6;  // of s, once it does not follow by itself
constexpr double kSlowest = 1e-3;          // the velocity scale is never below [m/s]
constexpr double kRoundingStep = 1e-13;    // a step below this share of the scale is rounding

struct FreeBody {
  StageBody* body = nullptr;
  Vec3 v_star, w_star;  // y*
  Vec3 v_base, w_base;  // start of the current step
  double mass = 0.0;    // 0: translation is locked
  Mat3 inertia;         // all zero: rotation is locked
  double reach = 0.0;   // longest arm of its contacts [m]
  int drag = -1;        // of the island's drags; -1: none
};

// The inertia tensor; axes about which a body cannot turn (a planar body) become 1e12 times as
// inert as the others, none at all gives zero.
Mat3 InertiaOf(const Mat3& inverse) {
  const double trace = Trace(inverse);
  if (!(trace > 0.0)) return Mat3::Zero();
  if (Determinant(inverse) > 1e-18 * trace * trace * trace) return Inverse(inverse);
  return Inverse(inverse + (1e-12 * trace) * Mat3::Identity());
}

class StageSolver {
 public:
  StageResult Solve(double H, std::span<StageBody> bodies, std::span<StageContact> contacts);

 private:
  int Root(int body) {
    while (parent_[static_cast<std::size_t>(body)] != body) {
      body = parent_[static_cast<std::size_t>(body)];
    }
    return body;
  }
  void SolveIsland(std::span<FreeBody> bodies, std::span<StagePoint*> points, StageResult* result);
  void Evaluate(std::span<FreeBody> bodies, std::span<StagePoint*> points, bool hold);
  void MoveTo(std::span<FreeBody> bodies, double t);
  void Push(std::span<FreeBody> bodies, const StagePoint& point, const Vec3& force,
            const Vec3& torque);
  const DragInertia& Drag(const FreeBody& b) const {
    return drags_[static_cast<std::size_t>(b.drag)];
  }
  double Directional() const;
  double Residual(std::span<const FreeBody> bodies) const;
  double StepLength(std::span<const FreeBody> bodies) const;
  double NewtonStep(std::span<FreeBody> bodies, std::span<StagePoint*> points, bool coupled);
  void Search(std::span<FreeBody> bodies, std::span<StagePoint*> points, bool hold, double g0);
  static bool WeightsSettled(std::span<StagePoint*> points);
  static double Hold(std::span<StagePoint*> points, double share);

  double H_ = 0.0;
  std::vector<int> parent_, island_of_;
  std::vector<StagePoint> points_;
  std::vector<StagePoint*> ordered_;
  std::vector<FreeBody> free_;
  std::vector<DragInertia> drags_;
  std::vector<double> residual_, step_;  // F and Δ of the island
  internal::IslandMatrix matrix_;
};

// F = M (y − y*) − H Σ Jᵀ w at the bodies' current velocities.
void StageSolver::Evaluate(std::span<FreeBody> bodies, std::span<StagePoint*> points, bool hold) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const FreeBody& b = bodies[k];
    const Vec3 dv = b.body->v - b.v_star, dw = b.body->w - b.w_star;
    Vec3 p = b.mass * dv, l = b.inertia * dw;
    if (b.drag >= 0) {
      const DragInertia& drag = Drag(b);
      p += drag.K_vv * dv + drag.K_vw * dw;
      l += TransposeTimes(drag.K_vw, dv) + drag.K_ww * dw;
    }
    double* F = residual_.data() + 6 * k;
    for (int i = 0; i < 3; ++i) {
      F[i] = p[i];
      F[3 + i] = l[i];
    }
  }
  for (StagePoint* point : points) {
    point->Evaluate(hold);
    if (!point->active) continue;
    const Vec3 force = H_ * point->Force(), torque = H_ * point->Torque();
    const auto add = [&](int row, const StageBody& body, double sign) {
      if (row < 0) return;
      const Vec3 moment = torque + Cross(point->contact->geometry.p_WC - body.p_WM, force);
      double* F = residual_.data() + row;
      for (int i = 0; i < 3; ++i) {
        F[i] -= sign * force[i];
        F[3 + i] -= sign * moment[i];
      }
    };
    add(point->row_i, *point->body_i, 1.0);
    add(point->row_j, *point->body_j, -1.0);
  }
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    double* F = residual_.data() + 6 * k;
    if (bodies[k].mass == 0.0) F[0] = F[1] = F[2] = 0.0;
    if (Trace(bodies[k].inertia) == 0.0) F[3] = F[4] = F[5] = 0.0;
  }
}

void StageSolver::MoveTo(std::span<FreeBody> bodies, double t) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const double* d = step_.data() + 6 * k;
    bodies[k].body->v = bodies[k].v_base + t * Vec3{d[0], d[1], d[2]};
    bodies[k].body->w = bodies[k].w_base + t * Vec3{d[3], d[4], d[5]};
  }
}

// Adds what a contact's wrench makes of the velocities of the island's bodies within H.
void StageSolver::Push(std::span<FreeBody> bodies, const StagePoint& point, const Vec3& force,
                       const Vec3& torque) {
  for (const int row : {point.row_i, point.row_j}) {
    if (row < 0) continue;
    const FreeBody& b = bodies[static_cast<std::size_t>(row / 6)];
    StageBody& body = *b.body;
    const double time = &body == point.body_i ? H_ : -H_;
    const Vec3 moment = torque + Cross(point.contact->geometry.p_WC - body.p_WM, force);
    if (b.drag >= 0) {
      const DragInertia& drag = Drag(b);
      body.v += time * (drag.A_vv * force + drag.A_vw * moment);
      body.w += time * (TransposeTimes(drag.A_vw, force) + drag.A_ww * moment);
    } else {
      body.v += (time * body.inverse_mass) * force;
      body.w += time * (body.inverse_inertia_W * moment);
    }
  }
}

double StageSolver::Directional() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < step_.size(); ++i) sum += step_[i] * residual_[i];
  return sum;
}

bool StageSolver::WeightsSettled(std::span<StagePoint*> points) {
  for (const StagePoint* point : points) {
    double s = point->s, ramp;
    if (point->active) point->FreshWeights(&s, &ramp);
    if (std::fabs(s - point->s) > kWeightTolerance) return false;
  }
  return true;
}

double StageSolver::Hold(std::span<StagePoint*> points, double share) {
  double change = 0.0;
  for (StagePoint* point : points) {
    if (point->active) change = std::max(change, point->Hold(share));
  }
  return change;
}

// How far the velocities are from what the forces make of y*, the arms counted in [m/s].
double StageSolver::Residual(std::span<const FreeBody> bodies) const {
  double residual = 0.0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const double* F = residual_.data() + 6 * k;
    const StageBody& body = *bodies[k].body;
    const Vec3 p{F[0], F[1], F[2]}, l{F[3], F[4], F[5]};
    Vec3 dv = body.inverse_mass * p, dw = body.inverse_inertia_W * l;
    if (bodies[k].drag >= 0) {
      const DragInertia& drag = Drag(bodies[k]);
      dv = drag.A_vv * p + drag.A_vw * l;
      dw = TransposeTimes(drag.A_vw, p) + drag.A_ww * l;
    }
    residual = std::max(residual, Norm(dv) + bodies[k].reach * Norm(dw));
  }
  return residual;
}

double StageSolver::StepLength(std::span<const FreeBody> bodies) const {
  double length = 0.0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const double* d = step_.data() + 6 * k;
    length = std::max(
        length, Norm(Vec3{d[0], d[1], d[2]}) + bodies[k].reach * Norm(Vec3{d[3], d[4], d[5]}));
  }
  return length;
}

// Δ = −(dF/dy)⁻¹ F; returns Δ·F, which is negative where Δ leads down.
double StageSolver::NewtonStep(std::span<FreeBody> bodies, std::span<StagePoint*> points,
                               bool coupled) {
  matrix_.Reset(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    matrix_.AddBody(k, bodies[k].mass, bodies[k].inertia);
    if (bodies[k].drag >= 0) matrix_.AddDrag(k, Drag(bodies[k]));
  }
  for (const StagePoint* point : points) {
    if (point->active) matrix_.AddContact(*point, coupled);
  }
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k].mass == 0.0) matrix_.Lock(6 * k);
    if (Trace(bodies[k].inertia) == 0.0) matrix_.Lock(6 * k + 3);
  }
  if (!matrix_.SolveNegative(residual_, step_)) return 0.0;
  return Directional();
}

// A whole step that overshoots the zero of Δ·F is shortened to just beyond it (Illinois' false
// position, drawn a little to the far side). Beyond, because a contact that closes or sticks on the
// way is steep there and flat before: the next slopes must see it. The bodies are at the whole
// step.
void StageSolver::Search(std::span<FreeBody> bodies, std::span<StagePoint*> points, bool hold,
                         double g0) {
  const double g1 = Directional(), enough = 0.5 * std::fabs(g0);
  if (g1 <= enough) return;
  double low = 0.0, g_low = g0, high = 1.0, g_high = g1;
  for (int k = 0; k < kMostSearch; ++k) {
    double t = (low * g_high - high * g_low) / (g_high - g_low);
    t += 0.1 * (high - t);
    if (!(t > low && t < high)) return;
    MoveTo(bodies, t);
    Evaluate(bodies, points, hold);
    const double g = Directional();
    if (g >= 0.0 && g <= enough) return;
    if (g < 0.0) {
      low = t;
      g_low = g;
      g_high *= 0.5;
    } else {
      high = t;
      g_high = g;
      g_low *= 0.5;
    }
  }
  MoveTo(bodies, high);
  Evaluate(bodies, points, hold);
}

void StageSolver::SolveIsland(std::span<FreeBody> bodies, std::span<StagePoint*> points,
                              StageResult* result) {
  const std::size_t n = 6 * bodies.size();
  residual_.resize(n);
  step_.resize(n);

  // From y*, pushed by the guess of the forces.
  for (StagePoint* point : points) {
    if (!point->active) continue;
    Push(bodies, *point, point->contact->force, point->contact->torque);
    const Vec3& p_WC = point->contact->geometry.p_WC;
    for (const int row : {point->row_i, point->row_j}) {
      if (row < 0) continue;
      FreeBody& b = bodies[static_cast<std::size_t>(row / 6)];
      b.reach = std::max(b.reach, Norm(p_WC - b.body->p_WM));
    }
  }
  Evaluate(bodies, points, false);
  double scale = kSlowest;
  for (const StagePoint* point : points) {
    if (!point->active) continue;
    for (int k = 0; k < 3; ++k) scale = std::max(scale, std::fabs(point->v[k]));
  }

  double residual = 0.0;
  bool converged = false, held = false;
  int iteration = 0;
  for (;; ++iteration) {
    residual = Residual(bodies);
    converged = residual <= kTolerance * scale;
    if (!(residual < 1e300)) break;
    bool moved = false;  // whether something that is held has moved
    if (held && converged) {
      moved = iteration < kFixed;
      residual += Hold(points, moved ? 0.5 : 0.0);
      converged = residual <= kTolerance * scale;
      if (!moved) break;
    }
    const bool improves = !held && iteration >= kFreeWeights && iteration < kImprovedWeights;
    if (converged && improves) converged = WeightsSettled(points);
    if (converged || iteration == kMostIterations) break;
    if (!held && iteration >= kHeld) {
      Hold(points, 1.0);
      held = moved = true;
    }
    if (improves) {
      for (StagePoint* point : points) point->ImproveWeights();
      moved = true;
    }
    if (iteration == kStuck) {
      for (StagePoint* point : points) point->s = 1.0;
      moved = true;
    }
    if (moved) Evaluate(bodies, points, true);
    for (FreeBody& b : bodies) {
      b.v_base = b.body->v;
      b.w_base = b.body->w;
    }
    double g0 = NewtonStep(bodies, points, true);
    if (!(g0 < 0.0)) g0 = NewtonStep(bodies, points, false);
    if (!(g0 < 0.0) && !held) {  // no way down: with a held load there is one
      Hold(points, 1.0);
      held = true;
      Evaluate(bodies, points, true);
      g0 = NewtonStep(bodies, points, false);
    }
    const bool hold = held || iteration >= kFreeWeights;
    const double length = StepLength(bodies);
    MoveTo(bodies, 1.0);
    Evaluate(bodies, points, hold);
    if (length <= kRoundingStep * scale && (!held || iteration >= kFixed)) {
      residual = length + (held ? Hold(points, 0.0) : 0.0);
      converged = residual <= kTolerance * scale;
      break;
    }
    Search(bodies, points, hold, g0);
  }
  // The velocities that the evaluated forces give, so that momentum is kept to rounding.
  for (FreeBody& b : bodies) {
    b.body->v = b.v_star;
    b.body->w = b.w_star;
  }
  for (StagePoint* point : points) {
    if (point->active) Push(bodies, *point, point->Force(), point->Torque());
  }
  result->iterations += iteration;
  result->residual = std::max(result->residual, residual);
  result->converged = result->converged && converged;
}

StageResult StageSolver::Solve(double H, std::span<StageBody> bodies,
                               std::span<StageContact> contacts) {
  H_ = H;
  StageResult result;
  points_.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    points_[c].Prepare(H, bodies, &contacts[c]);
  }
  if (H == 0.0) {
    for (StagePoint& point : points_) point.Evaluate(false);
  } else {
    const auto is_free = [&](int b) {
      const StageBody& body = bodies[static_cast<std::size_t>(b)];
      return body.inverse_mass > 0.0 || Trace(body.inverse_inertia_W) > 0.0;
    };
    parent_.resize(bodies.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const StagePoint& point : points_) {
      if (!point.active || !is_free(point.contact->body_i) || !is_free(point.contact->body_j)) {
        continue;
      }
      const int i = Root(point.contact->body_i), j = Root(point.contact->body_j);
      parent_[static_cast<std::size_t>(std::max(i, j))] = std::min(i, j);
    }
    island_of_.assign(bodies.size(), -1);  // first unknown of a body within its island
    for (std::size_t first = 0; first < points_.size(); ++first) {
      StagePoint& start = points_[first];
      if (!start.active || start.row_i >= 0 || start.row_j >= 0) continue;
      const int seed =
          is_free(start.contact->body_i) ? start.contact->body_i : start.contact->body_j;
      if (!is_free(seed)) {
        start.Evaluate(false);
        continue;
      }
      const int root = Root(seed);
      free_.clear();
      drags_.clear();
      ordered_.clear();
      for (std::size_t c = first; c < points_.size(); ++c) {
        StagePoint& point = points_[c];
        if (!point.active || point.row_i >= 0 || point.row_j >= 0) continue;
        const auto row = [&](int b) {
          if (!is_free(b) || Root(b) != root) return -1;
          int& at = island_of_[static_cast<std::size_t>(b)];
          if (at < 0) {
            at = static_cast<int>(6 * free_.size());
            StageBody& body = bodies[static_cast<std::size_t>(b)];
            free_.push_back({&body,
                             body.v,
                             body.w,
                             {},
                             {},
                             body.inverse_mass > 0.0 ? 1.0 / body.inverse_mass : 0.0,
                             InertiaOf(body.inverse_inertia_W),
                             0.0,
                             -1});
            FreeBody& added = free_.back();
            if (body.drag != nullptr) {
              added.drag = static_cast<int>(drags_.size());
              drags_.push_back(
                  internal::MakeDragInertia(H_, *body.drag, body.p_WM, added.mass, added.inertia));
            }
          }
          return at;
        };
        point.row_i = row(point.contact->body_i);
        point.row_j = row(point.contact->body_j);
        if (point.row_i >= 0 || point.row_j >= 0) ordered_.push_back(&point);
      }
      SolveIsland(free_, ordered_, &result);
    }
  }
  for (const StagePoint& point : points_) point.Finish();
  return result;
}

}  // namespace

StageResult SolveStage(double h_gamma, std::span<StageBody> bodies,
                       std::span<StageContact> contacts) {
  thread_local StageSolver solver;
  return solver.Solve(h_gamma, bodies, contacts);
}

}  // namespace intervox::host
