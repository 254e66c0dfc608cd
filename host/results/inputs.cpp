#include "host/results/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "host/input/error.h"
#include "host/scene/reader.h"

namespace intervox::host {
namespace {

/** One column of `inputs/…`. */
struct InputColumn {
  const char* name;
  int width;
  const char* units;
  bool integer;
};

enum InputPlace : std::size_t {
  kStep,
  kKind,
  kBody,
  kTime,
  kPosition,
  kRotation,
  kLinear,
  kAngular
};

constexpr std::array<InputColumn, 8> kInputs = {{{"inputs/step", 1, "1", true},
                                                 {"inputs/kind", 1, "1", true},
                                                 {"inputs/body", 1, "1", true},
                                                 {"inputs/time", 1, "s", false},
                                                 {"inputs/position", 3, "m", false},
                                                 {"inputs/rotation", 9, "1", false},
                                                 {"inputs/linear", 3, "N or m/s", false},
                                                 {"inputs/angular", 3, "N*m or rad/s", false}}};
constexpr const char* kState = "start/state";
/** Bytes of a state in one number, which fits into a double. */
constexpr std::size_t kBytesInNumber = 6;

}  // namespace

InputColumns::InputColumns(ColumnFile* file) {
  for (const InputColumn& c : kInputs) {
    columns_.push_back(file->Column(c.name, c.width, c.units, c.integer));
  }
  state_ = file->Column(kState, 1, "1", true);
}

void InputColumns::Begin(const Simulation& simulation, ColumnFile* file) {
  simulation.KeepInputs(log_);
  if (simulation.AtStart()) return;
  const std::vector<unsigned char> state = simulation.Save();
  // The length leads: the last number need not be full.
  file->PutInteger(state_, static_cast<std::int64_t>(state.size()));
  for (std::size_t at = 0; at < state.size(); at += kBytesInNumber) {
    std::int64_t number = 0;
    for (std::size_t i = at; i < std::min(state.size(), at + kBytesInNumber); ++i) {
      number |= static_cast<std::int64_t>(state[i]) << (8 * (i - at));
    }
    file->PutInteger(state_, number);
  }
}

void InputColumns::Resume(const Simulation& simulation, ColumnFile* file) {
  simulation.KeepInputs(log_);
  const std::vector<double> steps = file->Values(kInputs[kStep].name);
  const auto keep = std::lower_bound(steps.begin(), steps.end(),
                                     static_cast<double>(simulation.Counters().steps));
  for (const int column : columns_) file->Truncate(column, keep - steps.begin());
}

void InputColumns::Write(ColumnFile* file) {
  for (const Input& input : *log_) {
    const auto put = [&](InputPlace place, const Vec3& v) {
      file->Put(columns_[place], std::array{v.x, v.y, v.z});
    };
    file->PutInteger(columns_[kStep], input.step);
    file->PutInteger(columns_[kKind], static_cast<std::int64_t>(input.kind));
    file->PutInteger(columns_[kBody], input.body);
    file->Put(columns_[kTime], input.time);
    put(kPosition, input.X.p);
    for (int i = 0; i < 3; ++i) put(kRotation, input.X.R.Row(i));
    put(kLinear, input.linear);
    put(kAngular, input.angular);
  }
  log_->clear();
}

RecordedRun ReadRun(const std::filesystem::path& path) {
  const ColumnFile file = ColumnFile::Read(path);
  if (!file.Attribute("schema").starts_with("intervox/results/")) {
    throw InputError(path.string() +
                     ": results: no run is recorded here. Name a file that 'intervox run' wrote.");
  }
  RecordedRun run;
  run.scene = ParseScene(file.Attribute("scene"), path);
  run.scene.source = file.Attribute("source");  // by which states know their scene
  const std::vector<double> times = file.Values("time");
  run.end = times.empty() ? 0.0 : times.back();
  std::array<std::vector<double>, kInputs.size()> values;
  for (std::size_t k = 0; k < kInputs.size(); ++k) values[k] = file.Values(kInputs[k].name);
  for (std::size_t i = 0; i < values[kStep].size(); ++i) {
    const auto vector = [&](InputPlace place, std::size_t at) {
      const double* v = &values[place].at(at + 2) - 2;
      return Vec3{v[0], v[1], v[2]};
    };
    Input input;
    input.kind = static_cast<Input::Kind>(values[kKind].at(i));
    input.body = static_cast<int>(values[kBody].at(i));
    input.step = static_cast<std::int64_t>(values[kStep][i]);
    input.time = values[kTime].at(i);
    input.X.p = vector(kPosition, 3 * i);
    for (int r = 0; r < 3; ++r) {
      input.X.R.Row(r) = vector(kRotation, 9 * i + 3 * static_cast<std::size_t>(r));
    }
    input.linear = vector(kLinear, 3 * i);
    input.angular = vector(kAngular, 3 * i);
    run.inputs.push_back(input);
  }
  const std::vector<double> numbers = file.Values(kState);
  for (std::size_t k = 1; k < numbers.size(); ++k) {
    const auto number = static_cast<std::int64_t>(numbers[k]);
    for (std::size_t i = 0; i < kBytesInNumber; ++i) {
      run.start.push_back(static_cast<unsigned char>(number >> (8 * i)));
    }
  }
  if (!numbers.empty()) {
    run.start.resize(std::min(run.start.size(), static_cast<std::size_t>(numbers[0])));
  }
  return run;
}

Replay::Replay(const RecordedRun& run, Simulation* simulation)
    : run_(run), simulation_(*simulation) {
  if (!run.start.empty()) simulation->Restore(run.start);
}

bool Replay::Done() const {
  return simulation_.Time() >= run_.end - 0.5 * run_.scene.integrator.step;
}

bool Replay::Step(const std::function<bool()>& cancelled) {
  for (; next_ < run_.inputs.size() && run_.inputs[next_].step <= simulation_.Counters().steps;
       ++next_) {
    simulation_.Apply(run_.inputs[next_]);
  }
  return simulation_.Step(cancelled);
}

}  // namespace intervox::host
