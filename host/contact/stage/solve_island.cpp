// The stage equation in the velocities alone: how it is solved. The contact states are
// eliminated inside the friction law, so each contact's wrench w(y) is an explicit, almost
// everywhere differentiable function of the bodies' velocities, and M (y − y*) − hγ Σ Jᵀ w(J y) = 0
// has six unknowns for each free body, however many contacts there are: twenty patches under one
// box cost twenty evaluations, not a redundant system of twenty blocks. It is solved by Newton's
// method with exact slopes, island by island; because −w is monotone (up to the load's effect on
// friction, and to Stribeck's falling branch, whose weight s is held when it does not settle), a
// search along the step for the zero of Δ·residual makes it safe across the kinks of clamping and
// sticking.
#include <algorithm>
#include <cmath>

#include "host/contact/stage/stage_island.h"

namespace intervox::host::internal {
namespace {

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
constexpr double kJointMiss = 1e-12;       // of the velocity scale, by which joints may part
constexpr double kRoundingStep = 1e-13;    // a step below this share of the scale is rounding
constexpr double kWorseGuess = 10.0;       // a guess that makes contacts so much faster is dropped

// How far the equation of many bodies is solved: as far as Newton's method converges by itself.
constexpr double kLoose = 1e-3;
constexpr double kTight = 1e-8;
// Guesses of the last stage are near: what remains after a step is what the step was solved to.
constexpr double kNear = 1e-2;  // of the velocity scale
constexpr double kAim = 0.03;   // of kTolerance, at which steps from near are aimed

}  // namespace

bool StageIsland::WeightsSettled() const {
  for (const StagePoint* point : points_) {
    double s = point->s, ramp;
    if (point->active) point->FreshWeights(&s, &ramp);
    if (std::fabs(s - point->s) > kWeightTolerance) return false;
  }
  return true;
}

double StageIsland::Hold(double share) {
  double change = 0.0;
  for (StagePoint* point : points_) {
    if (point->active) change = std::max(change, point->Hold(share));
  }
  return change;
}

// A whole step that overshoots the zero of Δ·F is shortened to just beyond it (Illinois' false
// position, drawn a little to the far side). Beyond, because a contact that closes or sticks on the
// way is steep there and flat before: the next slopes must see it. The bodies are at the whole
// step.
void StageIsland::Search(bool hold, double g0) {
  const double g1 = Directional(), enough = 0.5 * std::fabs(g0);
  if (g1 <= enough) return;
  double low = 0.0, g_low = g0, high = 1.0, g_high = g1;
  for (int k = 0; k < kMostSearch; ++k) {
    double t = (low * g_high - high * g_low) / (g_high - g_low);
    t += 0.1 * (high - t);
    if (!(t > low && t < high)) return;
    MoveTo(t);
    Evaluate(hold);
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
  MoveTo(high);
  Evaluate(hold);
}

// Takes the guess of the contacts' forces on each body and its longest arm, squared. Returns the
// contacts' largest velocity at y* [m/s].
double StageIsland::PushPoints() {
  Largest fastest;
  ForPointsByBody(std::span<const FirstGuess* const>(guesses_), [&](std::size_t c) {
    if (!pairs_[c].acts) return;
    const FirstGuess& guess = *guesses_[c];
    fastest.See(guess.speed);
    const auto add = [&](int body, const Vec3& rho, double sign) {
      if (body < 0) return;
      FreeBody& b = bodies_[static_cast<std::size_t>(body)];
      b.force += sign * guess.force;
      b.moment += sign * (guess.torque + Cross(rho, guess.force));
      b.reach = std::max(b.reach, SquaredNorm(rho));
    };
    add(pairs_[c].i, guess.rho_i, 1.0);
    add(pairs_[c].j, guess.rho_j, -1.0);
  });
  return fastest.Value();
}

// Starts from y*, pushed by the guess of the forces; not where that makes the contacts much faster
// than they are at y*: what a stage that failed leaves would also be the scale to which this one is
// solved. Returns the velocity scale [m/s].
double StageIsland::Begin() {
  TakeBodies();
  residual_.resize(6 * bodies_.size());
  step_.resize(6 * bodies_.size());
  pulls_.resize(6 * bodies_.size());
  many_ = bodies_.size() > most_dense && joints_.empty();
  if (many_) Sort();
  const double at_start = std::max(kSlowest, PushPoints());
  ForBodies([&](std::size_t k) { bodies_[k].reach = std::sqrt(bodies_[k].reach); });
  PushBodies();
  if (many_) BeginMany();
  BeginJoints();
  double scale = std::max(kSlowest, Evaluate(false, true));
  if (!(scale <= kWorseGuess * at_start) && joints_.empty()) {
    ForBodies([&](std::size_t k) {
      bodies_[k].body->v = bodies_[k].v_star;
      bodies_[k].body->w = bodies_[k].w_star;
    });
    Evaluate(false, true);
    scale = at_start;
  }
  for (const IslandJoint& joint : joints_) {
    for (int side = 0; side < 2; ++side) {
      const StageBody* body = joint.body[side];
      if (body == nullptr) continue;
      const double reach = joint.row[side] < 0
                               ? Norm(joint.joint->p_WJ - body->p_WM)
                               : bodies_[static_cast<std::size_t>(joint.row[side] / 6)].reach;
      scale = std::max(scale, Norm(body->v) + reach * Norm(body->w));
    }
  }
  return scale;
}

// The block-sparse matrix, scaled so that residuals and unknowns are velocities of the contacts.
void StageIsland::BeginMany() {
  island_bodies_.resize(bodies_.size());
  ForBodies([&](std::size_t k) {
    const FreeBody& b = bodies_[k];
    IslandBody& out = island_bodies_[k];
    out = {b.mass, b.inertia, b.drag >= 0 ? &Drag(b) : nullptr, {}, {}};
    const double turn = Trace(b.body->inverse_inertia_W) / 3.0;
    const double reach = b.reach > 0.0 ? b.reach : 1.0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (b.mass > 0.0) out.row[i] = b.body->inverse_mass;
      if (b.mass > 0.0) out.column[i] = 1.0;
      if (turn > 0.0) out.row[i + 3] = reach * turn;
      if (turn > 0.0) out.column[i + 3] = 1.0 / reach;
    }
  });
  blocks_.Begin(points_, pairs_, island_bodies_, order_, threads_);
}

// A point alone: three equations, u = u* + H W f(u), of the relative velocity u there in the
// point's axes, and Newton's method for them as long as the weight may follow. False where it does
// not converge, or the island is another; the bodies are at y* then.
bool StageIsland::SolveSingle(StageResult* result) {
  if (points_.size() != 1 || !joints_.empty() || !points_[0]->is_point) return false;
  StagePoint& point = *points_[0];
  const Vec3(&axis)[3] = point.axis;
  Vec3 W[3];      // what the bodies give way by [1/kg]
  Vec3 by_force;  // what that does to the plate's spin about n [1/(kg·m)]
  for (const FreeBody& b : bodies_) {
    if (b.body->drag != nullptr) return false;
    const bool is_i = b.body == point.body_i;
    const Vec3& rho = is_i ? point.rho_i : point.rho_j;
    const double share = is_i ? 1.0 - point.model->plate_share : -point.model->plate_share;
    const Mat3& inverse = b.body->inverse_inertia_W;
    const Vec3 arm_0 = Cross(rho, axis[0]), arm_1 = Cross(rho, axis[1]),
               arm_2 = Cross(rho, axis[2]);
    const Vec3 turn_0 = inverse * arm_0, turn_1 = inverse * arm_1, turn_2 = inverse * arm_2;
    const double w_01 = Dot(arm_0, turn_1), w_02 = Dot(arm_0, turn_2), w_12 = Dot(arm_1, turn_2);
    const double m = b.body->inverse_mass;
    W[0] += Vec3{m + Dot(arm_0, turn_0), w_01, w_02};
    W[1] += Vec3{w_01, m + Dot(arm_1, turn_1), w_12};
    W[2] += Vec3{w_02, w_12, m + Dot(arm_2, turn_2)};
    by_force += share * Vec3{Dot(axis[0], turn_0), Dot(axis[0], turn_1), Dot(axis[0], turn_2)};
  }
  const auto times_W = [&](const Vec3& f) {
    return Vec3{Dot(W[0], f), Dot(W[1], f), Dot(W[2], f)};
  };
  const auto solve = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& x) {
    const Vec3 bc = Cross(b, c);
    return (1.0 / Dot(a, bc)) * (x.x * bc + x.y * Cross(c, a) + x.z * Cross(a, b));
  };
  const Vec3 start{point.v[0], point.v[1], point.v[2]};
  const double start_spin = point.plate_spin;
  const Vec3 by_slip = solve(W[0], W[1], W[2], by_force);  // of the spin with u
  const Vec3& guess = point.contact->force;
  Vec3 u = start + H_ * times_W({Dot(axis[0], guess), Dot(axis[1], guess), Dot(axis[2], guess)});
  const double scale = std::max({kSlowest, std::fabs(u.x), std::fabs(u.y), std::fabs(u.z)});
  double residual = 0.0;
  int iteration = 0;
  for (;; ++iteration) {
    point.v[0] = u.x;
    point.v[1] = u.y;
    point.v[2] = u.z;
    point.plate_spin = start_spin + Dot(by_slip, u - start);
    point.EvaluatePoint(false);
    const Vec3 miss = u - start - H_ * times_W({point.f_n, -point.f_t[0], -point.f_t[1]});
    residual = Norm(miss);
    if (residual <= kTolerance * scale) break;
    if (iteration == kFreeWeights || !(residual < 1e300)) {
      point.ForgetRates();
      return false;
    }
    // 1 + W C, with C = −H ∂f/∂u.
    const double load = H_ * point.slope_n;
    const auto& s = point.f_slope;
    const Vec3 C_0{load, 0.0, 0.0}, C_1{-load * s[0][3], H_ * s[0][0], H_ * s[0][1]},
        C_2{-load * s[1][3], H_ * s[1][0], H_ * s[1][1]};
    const auto row = [&](const Vec3& w) { return w.x * C_0 + w.y * C_1 + w.z * C_2; };
    u -= solve(Vec3{1, 0, 0} + row(W[0]), Vec3{0, 1, 0} + row(W[1]), Vec3{0, 0, 1} + row(W[2]),
               miss);
  }
  const Vec3 force = H_ * point.Force();
  for (const FreeBody& b : bodies_) {
    const bool is_i = b.body == point.body_i;
    const Vec3 impulse = is_i ? force : -force;
    b.body->v += b.body->inverse_mass * impulse;
    b.body->w += b.body->inverse_inertia_W * Cross(is_i ? point.rho_i : point.rho_j, impulse);
  }
  result->iterations += iteration;
  result->residual = std::max(result->residual, residual);
  return true;
}

void StageIsland::Solve(int threads, StageResult* result) {
  threads_ = threads;
  if (SolveSingle(result)) return;
  const double scale = Begin();
  double residual = 0.0, before = 0.0;
  bool converged = false, held = false;
  int iteration = 0;
  for (;; ++iteration) {
    residual = Residual();
    converged = residual <= kTolerance * scale;
    // From afar weights that follow may lead to another solution, where friction falls with speed.
    if (iteration == 0 && residual > kNear * scale) blocks_.HasTaken(false);
    if (!joints_.empty()) converged = converged && JointMiss() <= kJointMiss * scale;
    if (!(residual < 1e300)) break;
    bool moved = false;  // whether something that is held has moved
    if (held && converged) {
      moved = iteration < kFixed;
      residual += Hold(moved ? 0.5 : 0.0);
      converged = residual <= kTolerance * scale;
      if (!moved) break;
    }
    const bool improves = !held && iteration >= kFreeWeights && iteration < kImprovedWeights;
    if (converged && improves) converged = WeightsSettled();
    if (converged || iteration == kMostIterations) break;
    if (!held && iteration >= kHeld) {
      Hold(1.0);
      held = moved = true;
    }
    if (improves) {
      for (StagePoint* point : points_) point->ImproveWeights();
      moved = true;
    }
    if (iteration == kStuck) {
      for (StagePoint* point : points_) point->s = 1.0;
      moved = true;
    }
    if (moved) Evaluate(true);
    ForBodies([&](std::size_t k) {
      bodies_[k].v_base = bodies_[k].body->v;
      bodies_[k].w_base = bodies_[k].body->w;
    });
    const double fall = before > 0.0 ? residual / before : 1.0;
    before = residual;
    // Where Newton's method has difficulties, poor steps are not to add to them.
    double tolerance = kTight;
    if (iteration < kFreeWeights) {
      const double near = residual <= kNear * scale ? kAim * kTolerance * scale / residual : 1.0;
      tolerance = std::max(tolerance, std::min({kLoose, fall * fall, near}));
    }
    double g0 = NewtonStep(true, tolerance);
    if (many_ && !(g0 < 0.0)) g0 = NewtonStep(true, kTight);
    if (!(g0 < 0.0)) g0 = NewtonStep(false, kTight);
    if (!(g0 < 0.0) && !held) {  // no way down: with a held load there is one
      Hold(1.0);
      held = true;
      Evaluate(true);
      g0 = NewtonStep(false, kTight);
    }
    const bool hold = held || iteration >= kFreeWeights;
    const double length = StepLength();
    MoveTo(1.0);
    Evaluate(hold);
    if (length <= kRoundingStep * scale && (!held || iteration >= kFixed)) {
      residual = length + (held ? Hold(0.0) : 0.0);
      converged = residual <= kTolerance * scale;
      break;
    }
    Search(hold, g0);
  }
  // The velocities that the evaluated forces give, so that momentum is kept to rounding.
  ForBodies([&](std::size_t k) {
    bodies_[k].body->v = bodies_[k].v_star;
    bodies_[k].body->w = bodies_[k].w_star;
    const double* pull = pulls_.data() + 6 * k;
    PushBody(k, -1.0, {pull[0], pull[1], pull[2]}, {pull[3], pull[4], pull[5]});
  });
  TakeJointForces();
  result->iterations += iteration;
  result->residual = std::max(result->residual, residual);
  result->converged = result->converged && converged;
}

}  // namespace intervox::host::internal
