#include "host/simulation/dynamics.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "cuda/device/executor.h"
#include "host/bodies/loads.h"
#include "host/simulation/accept.h"
#include "host/simulation/energies.h"
#include "host/simulation/group_step.h"
#include "host/simulation/joint_steps.h"
#include "host/simulation/place_body.h"
#include "host/simulation/substep_plan.h"
#include "integrators/adaptive.h"

namespace intervox::host {
namespace {

/** Share of the lightest free body's weight that does not matter (the sources' δf). Without gravity
 the weight is taken at 1 m/s². */
constexpr double kNegligibleWeight = 1e-6;

/** Slower than these shares of √(g L), or without gravity of L/h, is rest. */
constexpr double kRestShare = 1e-3;
constexpr double kRestPerStep = 2.5e-6;

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
    if (rule.patches.points) continue;  // a depth is no volume
    if (law.Conserves()) {              // a pressure, which grows with some power of V
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
  // An adaptive method takes steps in what is measured less accurately than it asks for errors.
  const IntegratorSettings& integrator = world.scene.integrator;
  const bool adaptive = integrators::FindAdaptiveMethod(integrator.method) != nullptr;
  const double tolerance =
      adaptive ? std::min(engine.tolerance, integrator.tolerance) : engine.tolerance;
  return {tolerance, engine.voxel_size.value_or(0.0), engine.rule, NegligibleVolume(world)};
}

/** Threads that groups may be stepped on. */
int ThreadCount(const EngineOptions& options) {
  if (options.device == Device::kSerial) return 1;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return options.threads > 0 ? std::min(options.threads, cores) : cores;
}

/** Threads that lists of bodies are made on; 0 means all. */
int ListThreads(const EngineOptions& options) {
  return options.device == Device::kSerial ? 1 : options.threads;
}

StageTools MakeTools(const World& world, const PairFinder& finder) {
  StageTools tools;
  tools.world = &world;
  tools.finder = &finder;
  tools.adaptive = integrators::FindAdaptiveMethod(world.scene.integrator.method);
  for (std::size_t b = 0; b < world.start.size(); ++b) {
    tools.thickness.push_back(PartThickness(world.SizeOf(b)));
    tools.load_times.push_back(LoadTimes(world.scene.bodies[b]));
  }
  AddJointTimes(world.joints, &tools.load_times);
  return tools;
}

/** Between two questions whether to give up a step, on a thread that waits for others. */
constexpr std::chrono::milliseconds kAskEvery{10};

/** Has the stages look at a cancellation while it lives. */
class Cancellable {
 public:
  Cancellable(Cancellation* cancellation, StageTools* tools) : tools_(*tools) {
    tools_.cancellation = cancellation;
  }
  ~Cancellable() { tools_.cancellation = nullptr; }
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;

 private:
  StageTools& tools_;
};

/** Work that several threads do, one of which asks whether to give it up. */
class SharedWork {
 public:
  SharedWork(std::size_t count, Cancellation* cancellation)
      : open_(count), cancellation_(cancellation) {}

  /** One part is done. */
  void Done() {
    const std::lock_guard lock(mutex_);
    if (--open_ == 0) changed_.notify_all();
  }
  /** Where this thread asks, it goes on asking until all parts are done. */
  void Await() {
    if (cancellation_ == nullptr || !cancellation_->IsAsking()) return;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kAskEvery, [&] { return open_ == 0; })) {
      cancellation_->Wished();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t open_;
  Cancellation* cancellation_;
};

/** Takes out of the counters what counts accepted substeps: the step is done again. */
void DropAccepted(SimulationCounters* counters) {
  counters->substeps = counters->dissipative_substeps = counters->gaining_substeps = 0;
  counters->arrests = 0;
}

}  // namespace

Dynamics::Dynamics(const World& world, const Engine& engine)
    : world_(world),
      finder_(engine, EngineQuery(world)),
      tools_(MakeTools(world, finder_)),
      group_finder_(world, ListThreads(engine.options())) {
  state_.bodies = world.start;
  for (const BodySettings& body : world.scene.bodies) state_.poses.push_back(body.X_WB);
  state_.joints.resize(world.joints.size());
  MakeScratch(engine.options());
}

Dynamics::Dynamics(const Engine& engine, const Dynamics& other)
    : world_(other.world_),
      finder_(engine, other.finder_.settings()),
      tools_(other.tools_),
      group_finder_(world_, ListThreads(engine.options())),
      state_(other.state_) {
  tools_.finder = &finder_;
  tools_.cancellation = nullptr;
  MakeScratch(engine.options());
}

void Dynamics::MakeScratch(const EngineOptions& options) {
  const int threads = ThreadCount(options);
  for (int k = 0; k < threads; ++k) {
    scratch_.push_back(std::make_unique<StageScratch>(*world_.tableau));
  }
}

/** Calls function(group, scratch) for all groups: for large ones one after the other, each on all
 threads, and for the others at once where there is enough to do. An exception of the first group
 that throws is passed on. */
template <class Function>
void Dynamics::ForEachGroup(const Function& function) {
  const std::span<BodyGroup> groups = group_finder_.groups();
  const auto work_of = [&](std::size_t g) {
    return groups[g].bodies.size() + groups[g].patches.contacts.size();
  };
  std::size_t work = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) work += work_of(g);
  const int threads = static_cast<int>(scratch_.size());
  scratch_[0]->threads = threads;
  if (groups.size() < 2 || work < kThreadedWork || threads < 2) {
    for (std::size_t g = 0; g < groups.size(); ++g) function(&groups[g], scratch_[0].get());
    return;
  }
  std::vector<std::exception_ptr> errors(groups.size());
  const auto call = [&](std::size_t g, StageScratch* scratch) {
    try {
      function(&groups[g], scratch);
    } catch (...) {
      errors[g] = std::current_exception();
    }
  };
  std::vector<std::size_t> small;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (work_of(g) < kLargeGroup) {
      small.push_back(g);
    } else {
      call(g, scratch_[0].get());
    }
  }
  scratch_[0]->threads = 1;
  std::atomic<std::size_t> next{0};
  SharedWork shared(small.size(), tools_.cancellation);
  cuda::ParallelFor(threads, 1, threads, [&](int first, int last) {
    for (int slot = first; slot < last; ++slot) {
      for (std::size_t k; (k = next.fetch_add(1)) < small.size();) {
        call(small[k], scratch_[static_cast<std::size_t>(slot)].get());
        shared.Done();
      }
    }
    shared.Await();
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/** The groups' results become the state. */
void Dynamics::MergeGroups(double end) {
  state_.time = end;
  const std::span<BodyGroup> groups = group_finder_.groups();
  std::size_t contacts = 0;
  for (const BodyGroup& group : groups) contacts += group.patches.contacts.size();
  state_.patches.contacts.resize(contacts);
  state_.patches.held.clear();
  const int threads = static_cast<int>(scratch_.size());
  ForGroups(groups, threads,
            [&](std::size_t g, int of_group) { PutBodiesBack(groups[g], of_group, &state_); });
  contacts = 0;
  for (BodyGroup& group : groups) {
    PutBack(contacts, threads, &group, &state_);
    contacts += group.patches.contacts.size();
  }
  if (groups.size() > 1) SortContacts(&state_.patches);
  state_.ledger.Watch();
  PlaceDriven(world_, &state_);
}

/** Notes whether a free body moves or turns. */
void Dynamics::WatchRest() {
  const double g = Norm(world_.scene.gravity);
  for (const int body : world_.free_bodies) {
    const auto b = static_cast<std::size_t>(body);
    const RigidBody& rigid = state_.bodies[b];
    const double radius = world_.SizeOf(b).bounded ? world_.SizeOf(b).radius : 0.0;
    const double slow = g > 0.0 ? kRestShare * std::sqrt(2.0 * g * radius)
                                : kRestPerStep * 2.0 * radius / world_.step;
    if (Norm(rigid.v) + Norm(rigid.w) * radius >= slow) state_.moving_until = state_.time;
  }
}

void Dynamics::Start() {
  PlaceDriven(world_, &state_);
  for (std::size_t b = 0; b < state_.bodies.size(); ++b) {
    if (state_.bodies[b].kind == BodyKind::kFree)
      state_.poses[b] = SetVelocities(&state_.bodies[b]);
  }
  group_finder_.Find(state_, world_.step);
  ForEachGroup(
      [&](BodyGroup* group, StageScratch* scratch) { StartGroup(tools_, group, scratch); });
  MergeGroups(state_.time);
  // What is stored at the start no law has given.
  state_.start_energy = state_.ledger.elastic = ElasticSum(world_, state_);
  for (const RigidBody& body : state_.bodies) state_.start_energy += KineticEnergy(body);
}

/** Forgets what was counted since the last step. */
void Dynamics::DropCounters() {
  for (const auto& scratch : scratch_) {
    scratch->counters = {};
    scratch->finder.counters = {};
  }
}

/** Steps the groups, which are not merged yet. */
void Dynamics::StepGroups(double end) {
  const double h = end - state_.time;
  group_finder_.NewStep();
  for (;;) {
    group_finder_.Find(state_, h);
    ForEachGroup(
        [&](BodyGroup* group, StageScratch* scratch) { StepGroup(tools_, end, group, scratch); });
    if (group_finder_.StayedWithinReach(state_)) break;
    for (const auto& scratch : scratch_) DropAccepted(&scratch->counters);
  }
}

bool Dynamics::Step(const std::function<bool()>& cancelled) {
  const double end = static_cast<double>(state_.step + 1) * world_.step;
  Cancellation cancellation(cancelled);
  try {
    const Cancellable stages(&cancellation, &tools_);
    StepGroups(end);
  } catch (const StepCancelled&) {
    DropCounters();
    return false;
  }
  MergeGroups(end);
  ++state_.step;
  SimulationCounters& total = state_.counters;
  ++total.steps;
  for (const auto& scratch : scratch_) {
    const SimulationCounters& part = scratch->counters;
    total.substeps += part.substeps;
    total.stages += part.stages;
    total.active_pairs += part.active_pairs;
    total.solver_iterations += part.solver_iterations;
    total.unconverged_stages += part.unconverged_stages;
    total.creating_contacts += part.creating_contacts;
    total.bounded_contacts += part.bounded_contacts;
    total.slowed_substeps += part.slowed_substeps;
    total.dissipative_substeps += part.dissipative_substeps;
    total.redone_substeps += part.redone_substeps;
    total.gaining_substeps += part.gaining_substeps;
    total.arrests += part.arrests;
    total.pairs += scratch->finder.counters.queries;
    total.engine_failures += scratch->finder.counters.failures;
  }
  DropCounters();
  total.engine_failures += state_.patches.undefined_normals;
  state_.patches.undefined_normals = 0;
  WatchRest();
  return true;
}

void Dynamics::Restore(State state) {
  state_ = std::move(state);
  state_.poses.resize(state_.bodies.size());
  state_.joints.resize(world_.joints.size());
  PlaceDriven(world_, &state_);
  for (std::size_t b = 0; b < state_.bodies.size(); ++b) {
    RigidBody& body = state_.bodies[b];
    if (body.kind == BodyKind::kFixed) state_.poses[b] = world_.scene.bodies[b].X_WB;
    if (body.kind == BodyKind::kFree) state_.poses[b] = SetVelocities(&body);
  }
  group_finder_.Find(state_, world_.step);
  ForEachGroup(
      [&](BodyGroup* group, StageScratch* scratch) { ReadJoints(tools_, group, scratch); });
  MergeGroups(state_.time);
}

void Dynamics::Place(int body, const PrescribedMotion::Key& at) {
  const auto b = static_cast<std::size_t>(body);
  const bool is_free = state_.bodies[b].kind == BodyKind::kFree;
  const auto energy = [&] { return is_free ? FreeEnergy(world_, state_, b) : 0.0; };
  const double stored = ElasticSum(world_, state_);
  const double before = stored + energy();
  if (!PlaceBody(world_, body, at, &state_)) return;
  group_finder_.Find(state_, world_.step);
  ForEachGroup(
      [&](BodyGroup* group, StageScratch* scratch) { StartGroup(tools_, group, scratch); });
  MergeGroups(state_.time);
  const double elastic = ElasticSum(world_, state_);
  state_.ledger.elastic += elastic - stored;
  state_.ledger.work[is_free ? kAppliedWork : kDrivenWork] += elastic + energy() - before;
}

}  // namespace intervox::host
