#include "host/simulation/dynamics.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "cuda/executor.h"
#include "host/bodies/loads.h"
#include "host/simulation/accept.h"
#include "host/simulation/contact_scales.h"
#include "host/simulation/group_step.h"
#include "host/simulation/substep_plan.h"

namespace intervox::host {
namespace {

/** Share of the lightest free body's weight that does not matter (the sources' δf). Without gravity
 the weight is taken at 1 m/s². */
constexpr double kNegligibleWeight = 1e-6;

/** A body's reach in a step exceeds its way at constant speed by this factor, and by this share of
 its radius. */
constexpr double kReachFactor = 1.25;
constexpr double kReachShare = 1e-3;
/** A reach that was too small becomes this multiple of the way that the body took. */
constexpr double kWider = 1.5;

/** Places nearer than this share of a body's radius are the same. */
constexpr double kSamePlace = 1e-9;

/** Slower than these shares of √(g L), or without gravity of L/h, is rest. */
constexpr double kRestShare = 1e-3;
constexpr double kRestPerStep = 2.5e-6;

/** Bodies near nothing that step together: as many as the caches hold. */
constexpr std::size_t kAloneTogether = 128;

/** Work of a step from which threads pay, in bodies and contacts. */
constexpr std::size_t kThreadedWork = 64;
/** Of a group from which it gets all threads. */
constexpr std::size_t kLargeGroup = 2000;

/** The engine need not resolve a volume whose force is negligible: δf over the stiffest k_v. */
double NegligibleVolume(const World& world) {
  double lightest = 0.0, stiffest = 0.0, widest = 0.0;
  for (const int b : world.free_bodies) {
    const double mass = world.start[static_cast<std::size_t>(b)].mass;
    if (lightest == 0.0 || mass < lightest) lightest = mass;
    const BodyCells& cells = world.boxes[static_cast<std::size_t>(b)];
    if (cells.bounded) widest = std::max(widest, 4.0 * cells.radius * cells.radius);
  }
  const double force = kNegligibleWeight * lightest * std::max(Norm(world.scene.gravity), 1.0);
  double volume = std::numeric_limits<double>::infinity();
  for (const PairRule& rule : world.rules.All()) {
    const NormalLaw& law = *rule.model->normal;
    if (law.Conserves()) {  // a pressure, which grows with some power of V
      double V = 1.0;
      while (V > 1e-60 && law.Force(V, 0.0).f_e * widest > force) V *= 0.1;
      volume = std::min(volume, V);
    } else {
      stiffest = std::max(stiffest, law.Force(1.0, 0.0).f_e);
    }
  }
  if (stiffest > 0.0) volume = std::min(volume, force / stiffest);
  return std::isfinite(volume) ? volume : 0.0;
}

FinderSettings EngineQuery(const World& world) {
  const EngineSettings& engine = world.scene.engine;
  return {engine.tolerance, engine.voxel_size.value_or(0.0), engine.rule, NegligibleVolume(world)};
}

/** Threads that groups may be stepped on. */
int ThreadCount(const EngineOptions& options) {
  if (options.device == Device::kSerial) return 1;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return options.threads > 0 ? std::min(options.threads, cores) : cores;
}

StageTools MakeTools(const World& world, const PairFinder& finder) {
  StageTools tools;
  tools.world = &world;
  tools.finder = &finder;
  for (std::size_t b = 0; b < world.start.size(); ++b) {
    tools.thickness.push_back(PartThickness(world.boxes[b]));
    tools.load_times.push_back(LoadTimes(world.scene.bodies[b]));
  }
  return tools;
}

/** Takes out of the counters what counts accepted substeps: the step is done again. */
void DropAccepted(SimulationCounters* counters) {
  counters->substeps = counters->dissipative_substeps = counters->gaining_substeps = 0;
}

}  // namespace

Dynamics::Dynamics(const World& world, const Engine& engine)
    : world_(world),
      engine_(engine),
      finder_(engine, EngineQuery(world)),
      tools_(MakeTools(world, finder_)),
      broad_phase_([&world](int i, int j) { return world.Rule(i, j) != nullptr; },
                   engine.options().device == Device::kSerial ? 1 : engine.options().threads),
      widened_(world.start.size(), 1.0),
      reach_(world.start.size(), 0.0) {
  state_.bodies = world.start;
  for (const BodySettings& body : world.scene.bodies) state_.poses.push_back(body.X_WB);
  const int threads = ThreadCount(engine.options());
  for (int k = 0; k < threads; ++k) {
    scratch_.push_back(std::make_unique<StageScratch>(*world.tableau));
  }
}

int Dynamics::Root(int body) {
  int root = body;
  while (parent_[static_cast<std::size_t>(root)] != root) {
    root = parent_[static_cast<std::size_t>(root)];
  }
  while (parent_[static_cast<std::size_t>(body)] != root) {
    body = std::exchange(parent_[static_cast<std::size_t>(body)], root);
  }
  return root;
}

/** A bound on how far any point of the body moves within h, unless contacts drive it. */
double Dynamics::ReachOf(std::size_t b, double h) const {
  const RigidBody& body = state_.bodies[b];
  const BodyCells& cells = world_.boxes[b];
  const double radius = cells.bounded ? cells.radius : 0.0;
  if (body.kind == BodyKind::kFixed) return 0.0;
  const Vec3 arm = state_.poses[b] * cells.center - body.p_WM;
  double way = (Norm(body.v) + Norm(body.w) * (radius + Norm(arm))) * h;
  if (body.kind == BodyKind::kFree) {
    way += (Norm(world_.scene.gravity) + Norm(body.input.force) * body.inverse_mass) * h * h;
    for (const AppliedWrench& wrench : world_.scene.bodies[b].wrenches) {
      way += Norm(wrench.force) * body.inverse_mass * h * h;
    }
  } else {
    const FrameMotion end = DriveAt(world_.scene.bodies[b], body.input, state_.time + h);
    way = std::fmax(way, Displacement(end.X_WF, state_.poses[b], cells));
  }
  return widened_[b] * (kReachFactor * way + kReachShare * radius);
}

/** Free bodies that are near each other have one root. */
void Dynamics::ConnectBodies() {
  parent_.resize(state_.bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const IndexPair& pair : near_) {
    if (state_.bodies[static_cast<std::size_t>(pair.i)].kind != BodyKind::kFree ||
        state_.bodies[static_cast<std::size_t>(pair.j)].kind != BodyKind::kFree) {
      continue;
    }
    const int i = Root(pair.i), j = Root(pair.j);
    parent_[static_cast<std::size_t>(std::max(i, j))] = std::min(i, j);
  }
}

std::size_t Dynamics::AddGroup() {
  if (groups_.size() == group_count_) groups_.emplace_back();
  groups_[group_count_].bodies.clear();
  return group_count_++;
}

/** Groups in the order of their first bodies. Bodies that are near nothing have no contacts, so
 nothing connects them: they share groups. */
void Dynamics::FindGroups(double h) {
  const std::size_t bodies = state_.bodies.size();
  placed_.resize(bodies);
  for (std::size_t b = 0; b < bodies; ++b) {
    reach_[b] = ReachOf(b, h);
    placed_[b] = {&world_.boxes[b], state_.poses[b], reach_[b],
                  state_.bodies[b].kind != BodyKind::kFixed};
  }
  broad_phase_.Find(placed_, &near_);
  caches_.Update(near_, &near_caches_);
  ConnectBodies();

  constexpr int kAlone = -2;
  group_of_.assign(bodies, -1);
  for (const int b : world_.free_bodies) group_of_[static_cast<std::size_t>(b)] = kAlone;
  for (const IndexPair& pair : near_) {
    for (const int b : {pair.i, pair.j}) {
      int& group = group_of_[static_cast<std::size_t>(b)];
      if (group == kAlone) group = -1;  // near something: numbered below
    }
  }
  group_count_ = 0;
  int alone = -1;
  for (const int body : world_.free_bodies) {
    const auto b = static_cast<std::size_t>(body);
    const int root = Root(body);
    if (group_of_[b] == kAlone) {
      if (alone < 0 || groups_[static_cast<std::size_t>(alone)].bodies.size() == kAloneTogether) {
        alone = static_cast<int>(AddGroup());
      }
      group_of_[b] = alone;
    } else if (root == body) {
      group_of_[b] = static_cast<int>(AddGroup());
    } else {
      group_of_[b] = group_of_[static_cast<std::size_t>(root)];
    }
    groups_[static_cast<std::size_t>(group_of_[b])].bodies.push_back(body);
  }
  FillGroups();
}

/** Gives the groups their near pairs, the other bodies in these, and their contacts. */
void Dynamics::FillGroups() {
  const auto group_of_pair = [&](int i, int j) {
    const int group = group_of_[static_cast<std::size_t>(i)];
    return static_cast<std::size_t>(group >= 0 ? group : group_of_[static_cast<std::size_t>(j)]);
  };
  for (const IndexPair& pair : near_) {
    std::vector<int>& bodies = groups_[group_of_pair(pair.i, pair.j)].bodies;
    for (const int b : {pair.i, pair.j}) {
      if (group_of_[static_cast<std::size_t>(b)] < 0) bodies.push_back(b);
    }
  }
  for (std::size_t g = 0; g < group_count_; ++g) TakeOut(state_, &groups_[g]);
  for (std::size_t k = 0; k < near_.size(); ++k) {
    const auto [i, j] = near_[k];
    BodyGroup& group = groups_[group_of_pair(i, j)];
    const auto& boxes = world_.Rule(i, j)->patches.per_cell_pair ? world_.bare_boxes : world_.boxes;
    group.near.push_back({LocalIndex(group, i), LocalIndex(group, j),
                          &boxes[static_cast<std::size_t>(i)], &boxes[static_cast<std::size_t>(j)],
                          near_caches_[k]});
  }
  local_contact_.clear();
  for (const Contact& contact : state_.patches.contacts) {
    BodyGroup& group = groups_[group_of_pair(contact.body_i, contact.body_j)];
    local_contact_.push_back(static_cast<int>(group.patches.contacts.size()));
    Contact& local = group.patches.contacts.emplace_back(contact);
    local.body_i = LocalIndex(group, contact.body_i);
    local.body_j = LocalIndex(group, contact.body_j);
  }
  for (const Held& held : state_.patches.held) {
    BodyGroup& group = groups_[group_of_pair(held.cells.i, held.cells.j)];
    Held local = held;
    local.cells.i = LocalIndex(group, held.cells.i);
    local.cells.j = LocalIndex(group, held.cells.j);
    local.contact = local_contact_[static_cast<std::size_t>(held.contact)];
    group.patches.held.push_back(local);
  }
  for (std::size_t g = 0; g < group_count_; ++g) {
    groups_[g].first_id = groups_[g].patches.next_id;
  }
}

/** Calls function(group, scratch) for all groups: for large ones one after the other, each on all
 threads, and for the others at once where there is enough to do. An exception of the first group
 that throws is passed on. */
template <class Function>
void Dynamics::ForEachGroup(const Function& function) {
  const auto work_of = [&](std::size_t g) {
    return groups_[g].bodies.size() + groups_[g].patches.contacts.size();
  };
  std::size_t work = 0;
  for (std::size_t g = 0; g < group_count_; ++g) work += work_of(g);
  const int threads = static_cast<int>(scratch_.size());
  scratch_[0]->threads = threads;
  if (group_count_ < 2 || work < kThreadedWork || threads < 2) {
    for (std::size_t g = 0; g < group_count_; ++g) function(&groups_[g], scratch_[0].get());
    return;
  }
  std::vector<std::exception_ptr> errors(group_count_);
  const auto call = [&](std::size_t g, StageScratch* scratch) {
    try {
      function(&groups_[g], scratch);
    } catch (...) {
      errors[g] = std::current_exception();
    }
  };
  std::vector<std::size_t> small;
  for (std::size_t g = 0; g < group_count_; ++g) {
    if (work_of(g) < kLargeGroup) {
      small.push_back(g);
    } else {
      call(g, scratch_[0].get());
    }
  }
  scratch_[0]->threads = 1;
  std::atomic<std::size_t> next{0};
  cuda::ParallelFor(threads, 1, threads, [&](int first, int last) {
    for (int slot = first; slot < last; ++slot) {
      for (std::size_t k; (k = next.fetch_add(1)) < small.size();) {
        call(small[k], scratch_[static_cast<std::size_t>(slot)].get());
      }
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

void Dynamics::StepGroups(double end) {
  ForEachGroup(
      [&](BodyGroup* group, StageScratch* scratch) { StepGroup(tools_, end, group, scratch); });
}

/** Whether every free body has ended within the reach that made the groups; widens that of others.
 */
bool Dynamics::StayedWithinReach() {
  bool stayed = true;
  for (std::size_t g = 0; g < group_count_; ++g) {
    const BodyGroup& group = groups_[g];
    for (const int body : group.free) {
      const auto local = static_cast<std::size_t>(body);
      const auto b = static_cast<std::size_t>(group.bodies[local]);
      const BodyCells& cells = world_.boxes[b];
      const double way = Displacement(group.poses[local], state_.poses[b], cells);
      if (!(way > reach_[b])) continue;
      widened_[b] *= kWider * way / reach_[b];
      stayed = false;
    }
  }
  return stayed;
}

/** The groups' results become the state. */
void Dynamics::MergeGroups(double end) {
  state_.time = end;
  state_.patches.contacts.clear();
  state_.patches.held.clear();
  for (std::size_t g = 0; g < group_count_; ++g) PutBack(groups_[g], &state_);
  if (group_count_ > 1) SortContacts(&state_.patches);
  state_.ledger.Watch();
  PlaceDriven();
}

void Dynamics::PlaceDriven() {
  for (std::size_t b = 0; b < state_.bodies.size(); ++b) {
    if (state_.bodies[b].kind != BodyKind::kDriven) continue;
    PlaceDrivenBody(world_.scene.bodies[b], state_.time, &state_.bodies[b], &state_.poses[b]);
  }
}

/** Notes whether a free body moves or turns. */
void Dynamics::WatchRest() {
  const double g = Norm(world_.scene.gravity);
  for (const int body : world_.free_bodies) {
    const auto b = static_cast<std::size_t>(body);
    const RigidBody& rigid = state_.bodies[b];
    const double radius = world_.boxes[b].bounded ? world_.boxes[b].radius : 0.0;
    const double slow = g > 0.0 ? kRestShare * std::sqrt(2.0 * g * radius)
                                : kRestPerStep * 2.0 * radius / world_.step;
    if (Norm(rigid.v) + Norm(rigid.w) * radius >= slow) state_.moving_until = state_.time;
  }
}

void Dynamics::Start() {
  PlaceDriven();
  for (std::size_t b = 0; b < state_.bodies.size(); ++b) {
    if (state_.bodies[b].kind == BodyKind::kFree)
      state_.poses[b] = SetVelocities(&state_.bodies[b]);
  }
  FindGroups(world_.step);
  ForEachGroup(
      [&](BodyGroup* group, StageScratch* scratch) { StartGroup(tools_, group, scratch); });
  MergeGroups(state_.time);
  state_.start_energy = 0.0;
  for (const RigidBody& body : state_.bodies) state_.start_energy += KineticEnergy(body);
}

void Dynamics::Step() {
  const double end = static_cast<double>(state_.step + 1) * world_.step;
  const double h = end - state_.time;
  std::fill(widened_.begin(), widened_.end(), 1.0);
  for (;;) {
    FindGroups(h);
    StepGroups(end);
    if (StayedWithinReach()) break;
    for (const auto& scratch : scratch_) DropAccepted(&scratch->counters);
  }
  MergeGroups(end);
  ++state_.step;
  SimulationCounters& total = state_.counters;
  ++total.steps;
  for (const auto& scratch : scratch_) {
    SimulationCounters& part = scratch->counters;
    total.substeps += part.substeps;
    total.stages += part.stages;
    total.active_pairs += part.active_pairs;
    total.solver_iterations += part.solver_iterations;
    total.unconverged_stages += part.unconverged_stages;
    total.creating_contacts += part.creating_contacts;
    total.dissipative_substeps += part.dissipative_substeps;
    total.redone_substeps += part.redone_substeps;
    total.gaining_substeps += part.gaining_substeps;
    total.pairs += scratch->finder.counters.queries;
    total.engine_failures += scratch->finder.counters.failures;
    part = {};
    scratch->finder.counters = {};
  }
  total.engine_failures += state_.patches.undefined_normals;
  state_.patches.undefined_normals = 0;
  WatchRest();
}

void Dynamics::Restore(State state) {
  state_ = std::move(state);
  state_.poses.resize(state_.bodies.size());
  PlaceDriven();
  for (std::size_t b = 0; b < state_.bodies.size(); ++b) {
    RigidBody& body = state_.bodies[b];
    if (body.kind == BodyKind::kFixed) state_.poses[b] = world_.scene.bodies[b].X_WB;
    if (body.kind == BodyKind::kFree) state_.poses[b] = SetVelocities(&body);
  }
  // Evaluating the contacts once more counts once more.
  const SimulationCounters counters = state_.counters;
  const EnergyLedger ledger = state_.ledger;
  const std::int64_t undefined_normals = state_.patches.undefined_normals;
  FindGroups(world_.step);
  ForEachGroup(
      [&](BodyGroup* group, StageScratch* scratch) { RestoreGroup(tools_, group, scratch); });
  MergeGroups(state_.time);
  state_.counters = counters;
  state_.ledger = ledger;
  state_.patches.undefined_normals = undefined_normals;
  for (const auto& scratch : scratch_) {
    scratch->counters = {};
    scratch->finder.counters = {};
  }
}

double Dynamics::ElasticSum() const {
  double sum = 0.0;
  for (const Contact& contact : state_.patches.contacts) {
    const ContactModel& model = *world_.Rule(contact.body_i, contact.body_j)->model;
    sum += ElasticEnergy(model, contact.geometry, contact.state.V_o);
  }
  return sum;
}

double Dynamics::FreeEnergy(std::size_t b) const {
  const RigidBody& body = state_.bodies[b];
  return KineticEnergy(body) - body.mass * Dot(world_.scene.gravity, body.p_WM);
}

void Dynamics::EndContacts(int body) {
  Patches& patches = state_.patches;
  const auto ends = [body](int i, int j) { return i == body || j == body; };
  std::vector<int> place;
  std::vector<Contact> kept;
  for (const Contact& contact : patches.contacts) {
    if (ends(contact.body_i, contact.body_j)) {
      place.push_back(-1);
      state_.ledger.bristle_lost += std::fmax(0.0, contact.bristle_energy);
    } else {
      place.push_back(static_cast<int>(kept.size()));
      kept.push_back(contact);
    }
  }
  patches.contacts = std::move(kept);
  std::erase_if(patches.held, [&](const Held& held) { return ends(held.cells.i, held.cells.j); });
  for (Held& held : patches.held) held.contact = place[static_cast<std::size_t>(held.contact)];
}

void Dynamics::Place(int body, const PrescribedMotion::Key& at) {
  const auto b = static_cast<std::size_t>(body);
  RigidBody& rigid = state_.bodies[b];
  const bool is_free = rigid.kind == BodyKind::kFree;
  const double before = ElasticSum() + (is_free ? FreeEnergy(b) : 0.0);
  const double stored = ElasticSum();
  const FrameMotion motion = Evaluate(at, at.t);
  const BodyCells& cells = world_.boxes[b];
  if (!is_free && cells.bounded &&
      Displacement(motion.X_WF, state_.poses[b], cells) <= kSamePlace * cells.radius) {
    // It goes on from where it is: contacts last.
    rigid.input.drives = true;
    rigid.input.drive = at;
    return;
  }
  EndContacts(body);
  if (is_free) {
    rigid.q_WB = motion.q_WF;
    rigid.p_WM = motion.X_WF * rigid.p_BM;
    rigid.momentum = rigid.mass * (motion.v_WF + Cross(motion.w_WF, rigid.p_WM - motion.X_WF.p));
    const Mat3& R = motion.X_WF.R;
    rigid.spin = R * (rigid.inertia_M * TransposeTimes(R, motion.w_WF));
    state_.poses[b] = SetVelocities(&rigid);
  } else {
    rigid.input.drives = true;
    rigid.input.drive = at;
    PlaceDriven();
  }
  FindGroups(world_.step);
  ForEachGroup(
      [&](BodyGroup* group, StageScratch* scratch) { StartGroup(tools_, group, scratch); });
  MergeGroups(state_.time);
  const double elastic = ElasticSum();
  state_.ledger.elastic += elastic - stored;
  state_.ledger.work[is_free ? kAppliedWork : kDrivenWork] +=
      elastic + (is_free ? FreeEnergy(b) : 0.0) - before;
}

EnergyAudit Dynamics::Audit() const {
  const std::array<double, kQuadratures>& work = state_.ledger.work;
  const std::array<double, kLosses> lost = state_.ledger.Losses();
  EnergyAudit out;
  for (std::size_t b = 0; b < state_.bodies.size(); ++b) {
    const RigidBody& body = state_.bodies[b];
    if (body.kind != BodyKind::kFree) continue;
    out.kinetic += KineticEnergy(body);
    out.gravity -= body.mass * Dot(world_.scene.gravity, body.p_WM - world_.start[b].p_WM);
  }
  out.elastic = state_.ledger.elastic;
  out.bristle = work[kBristleStored] - state_.ledger.bristle_lost;
  out.dissipated_normal = lost[kNormalDamping];
  out.dissipated_sliding = lost[kSliding];
  out.dissipated_spinning = lost[kSpinning];
  out.dissipated_rolling = lost[kRolling];
  out.dissipated_numerical = state_.ledger.numerical;
  out.work_applied = work[kAppliedWork] + work[kHolderWork];
  out.work_driven = work[kDrivenWork];
  out.work_relaxation = work[kRelaxationWork];
  out.largest_fall = state_.ledger.largest_fall;
  out.balance = out.kinetic + out.gravity + out.elastic + out.bristle - state_.start_energy +
                out.dissipated_normal + out.dissipated_sliding + out.dissipated_spinning +
                out.dissipated_rolling + out.dissipated_numerical - out.work_applied -
                out.work_driven - out.work_relaxation;
  return out;
}

}  // namespace intervox::host
