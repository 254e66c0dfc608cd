#include "python/bindings/session.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <thread>

#include "host/input/nearest.h"

namespace intervox::python {
namespace {

/** Time between two writes of the results to disk. */
constexpr std::chrono::seconds kFlushEvery{2};

EngineOptions Threads(int threads) {
  RequireThreads(threads);
  return {threads == 1 ? Device::kSerial : Device::kThreads, threads, 0};
}

Simulation Make(const Scene& scene, int threads) {
  nb::gil_scoped_release release;
  return Simulation(scene, Threads(threads));
}

template <class T>
Index MakeIndex(std::string kind, const std::vector<T>& things) {
  Index index;
  index.kind = std::move(kind);
  for (const T& thing : things) {
    index.numbers.emplace(thing.name, static_cast<int>(index.names.size()));
    index.names.push_back(thing.name);
  }
  return index;
}

/** Marks a simulation as being stepped, for as long as it lives. */
class Mark {
 public:
  explicit Mark(bool* flag) : flag_(flag) { *flag_ = true; }
  ~Mark() { *flag_ = false; }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

 private:
  bool* flag_;
};

}  // namespace

int RequireThreads(int threads) {
  if (threads >= 0 && threads <= 4096) return threads;
  throw std::invalid_argument(
      fmt::format("threads: {} is out of range. Give 0 for all cores, to 4096.", threads));
}

int Index::Of(nb::handle key) const {
  const auto count = static_cast<std::int64_t>(names.size());
  if (PyUnicode_Check(key.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(key.ptr(), &size);
    if (text == nullptr) throw nb::python_error();
    const std::string name(text, static_cast<std::size_t>(size));
    const auto found = numbers.find(name);
    if (found != numbers.end()) return found->second;
    throw nb::key_error(
        fmt::format("there is no {} '{}'. {}", kind, name, host::Suggest(name, names)).c_str());
  }
  const Py_ssize_t number = PyNumber_AsSsize_t(key.ptr(), nullptr);  // NumPy's integers, too
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::type_error(fmt::format("a {} is given by its name or number", kind).c_str());
  }
  if (number < -count || number >= count) {
    throw nb::index_error(
        fmt::format("there is no {} {}. The scene has {}.", kind, number, count).c_str());
  }
  return static_cast<int>(number < 0 ? number + count : number);
}

Session::Session(const Scene& scene, int threads)
    : Session(Make(scene, threads), std::make_shared<const Names>(NamesOf(scene))) {}

std::unique_ptr<Session> Session::Lent(Simulation simulation) {
  auto names = std::make_shared<const Names>(NamesOf(simulation.GetScene()));
  std::unique_ptr<Session> lent(new Session(std::move(simulation), std::move(names)));
  lent->lent_ = true;
  return lent;
}

Session::Names Session::NamesOf(const Scene& scene) {
  return {MakeIndex("body", scene.bodies), MakeIndex("sensor", scene.sensors),
          MakeIndex("joint", scene.joints)};
}

Simulation Session::TakeBack() {
  away_ = true;
  return std::move(simulation_);
}

void Session::Lend(Simulation simulation) {
  simulation_ = std::move(simulation);
  away_ = false;
}

Session::Session(Simulation simulation, std::shared_ptr<const Names> names)
    : simulation_(std::move(simulation)), names_(std::move(names)) {}

Session::~Session() {
  try {
    EndRecord();
  } catch (const std::exception& error) {
    PySys_WriteStderr("intervox: %s\n", error.what());
  }
}

void Session::RequireOwn(const char* call) const {
  RequireIdle();
  if (!lent_) return;
  throw std::invalid_argument(fmt::format(
      "{}: a batch steps this simulation. Give it inputs, or try things out on a clone().", call));
}

void Session::RequireIdle() const {
  if (away_) {
    throw std::runtime_error(
        "this simulation is a run of a batch. Use it in its controller, between two steps.");
  }
  if (!stepping_) return;
  throw std::runtime_error(
      "this simulation is being stepped by another thread. Give each thread its own clone().");
}

void Session::StepOnce(Signals* signals) {
  if (!simulation_.Step([&] { return signals->Raised(); })) signals->Check();
  if (recording_) SampleStep();
}

void Session::SampleStep() {
  if (simulation_.Counters().steps % recording_->every == 0) {
    recording_->recorder.Sample(simulation_);
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - recording_->flushed < kFlushEvery) return;
  recording_->recorder.Flush(simulation_);
  recording_->flushed = now;
}

void Session::Step(std::int64_t number) {
  if (number < 0) throw std::invalid_argument("step: n must not be negative.");
  RequireOwn("step");
  const Mark mark(&stepping_);
  nb::gil_scoped_release release;
  Signals signals;
  for (std::int64_t k = 0; k < number; ++k) StepOnce(&signals);
}

void Session::Run(double until) {
  RequireOwn("run");
  const Mark mark(&stepping_);
  nb::gil_scoped_release release;
  Signals signals;
  while (RunsUntil(until)) StepOnce(&signals);
}

bool Session::RunsUntil(double end) const {
  const double step = simulation_.GetScene().integrator.step;
  return !simulation_.Done() && simulation_.Time() < end - 0.5 * step;
}

void Session::Replay(const host::RecordedRun& run, const std::optional<std::string>& record) {
  host::Replay replay(run, &simulation_);
  if (record) Record(*record, std::nullopt);
  {
    const Mark mark(&stepping_);
    nb::gil_scoped_release release;
    Signals signals;
    while (!replay.Done()) {
      if (!replay.Step([&] { return signals.Raised(); })) signals.Check();
      if (recording_) SampleStep();
    }
  }
  EndRecord();
}

std::unique_ptr<Session> Session::Clone() {
  return std::unique_ptr<Session>(new Session(Get().Clone(), names_));
}

void Session::Restore(std::span<const unsigned char> bytes) {
  RequireOwn("restore");
  if (recording_) {
    throw std::invalid_argument(
        "restore: the simulation is being recorded, and a results file goes forward only. End the "
        "recording, or try things out on a clone().");
  }
  simulation_.Restore(bytes);
}

std::int64_t Session::Record(const std::string& path, std::optional<double> every) {
  RequireOwn("record");
  if (recording_) {
    throw std::invalid_argument("record: " + recording_->path +
                                " is being written already. Close it first.");
  }
  const Scene& scene = simulation_.GetScene();
  const double seconds = every.value_or(scene.output.every);
  if (!(seconds > 0)) throw std::invalid_argument("record: every must be above 0 s.");
  const double steps = std::fmin(std::round(seconds / scene.integrator.step), 1e15);
  const std::string device = fmt::format("cpu, {} threads", std::thread::hardware_concurrency());
  recording_ = std::make_unique<Recording>(Recording{
      host::Recorder::Create(path, simulation_, {INTERVOX_VERSION, INTERVOX_COMMIT, device}, every),
      path, static_cast<std::int64_t>(std::fmax(steps, 1.0)), ++recordings_,
      std::chrono::steady_clock::now()});
  recording_->recorder.Sample(simulation_);
  return recordings_;
}

void Session::EndRecord() {
  if (!recording_) return;
  RequireIdle();
  const std::unique_ptr<Recording> recording = std::move(recording_);
  recording->recorder.Sample(simulation_);
  recording->recorder.Flush(simulation_);
}

}  // namespace intervox::python
