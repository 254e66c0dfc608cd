/** @file A batch as its file says it: many runs of one scene with sampled values. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/batch/distribution.h"
#include "host/scene/scene.h"

namespace intervox::host {

/** One entry of `sample`. */
struct SampledPath {
  std::string path;  ///< into the scene, as `--set` has it
  Distribution distribution;
  Value at;                 ///< its place in the batch file
  std::uint64_t hash = 0;   ///< of the path, for the random numbers
  std::size_t same_as = 0;  ///< index of the entry whose value it has; its own but for `same`
  bool numeric = true;      ///< all its values are numbers
};

/** When a run ends before the scene's duration. */
struct StopRule {
  std::string when;             ///< an expression; empty: none
  std::optional<double> after;  ///< simulated time [s]
};

/** One entry of `outcomes`. */
struct OutcomeRule {
  std::string name;
  std::string expression;
  bool boolean = false;
};

/** When the batch ends before its number of runs. */
struct UntilRule {
  std::size_t outcome = 0;  ///< index of a boolean outcome
  double interval = 0.0;    ///< width of the 95 % interval that is narrow enough
  std::int64_t block = 100;
};

/** Whose trajectories stay. */
enum class Keep { kNone, kFailed, kAll };

/** A batch, read and checked. */
struct Batch {
  std::filesystem::path path;
  std::string name;
  std::string source;  ///< the file's text
  std::filesystem::path scene_path;
  std::string scene_source;
  std::vector<std::string> overrides;  ///< of the scene, from the command line
  Value document;                      ///< the scene's, overrides applied
  Scene scene;                         ///< without any sampled value
  std::int64_t number = 0;
  std::uint64_t seed = 0;
  std::vector<SampledPath> sample;
  std::uint64_t parts = 0;  ///< a checksum of what the sample names by file; 0: it names none
  StopRule stop;
  std::vector<OutcomeRule> outcomes;
  std::optional<UntilRule> until;
  Keep keep = Keep::kNone;
  std::string steered_by;  ///< the program that has its controller; empty: it needs none
  std::string controller;  ///< the text of what puts inputs into its runs; empty: nothing does
};

/** Reads a batch and its scene. Checks names, expressions and distributions, and that the scene can
 be read with the ends of the ranges.
 @param overrides  `path=value` edits of the scene
 @throws InputError naming file, line, key, value and remedy. */
Batch LoadBatch(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

/** The sampled values of run k, in the order of `sample`. */
std::vector<Value> DrawRun(const Batch& batch, std::int64_t run);

/** The scene with these values at the sampled paths. @throws InputError for values it refuses. */
Scene SceneWith(const Batch& batch, const std::vector<Value>& values);

/** What two batches must agree in for their runs to stand in one table, as one number: the scene
 with its defaults, the sample and the parts that it names, the seed, stop and outcomes, and whether
 there is a controller; not which one, nor the number of runs. */
std::uint64_t Fingerprint(const Batch& batch);

/** Tells a batch's controller from others: a checksum of its text; empty where there is none. */
std::string ControllerMark(const Batch& batch);

/** @throws InputError when the batch needs a controller and has none. */
void RequireController(const Batch& batch);

/** The command that runs one run alone and leaves its trajectory: for a shell, or, of a run with a
 controller, for Python. */
std::string ReplayCommand(const Batch& batch, std::int64_t run);
/** The same by `intervox run`, with every sampled value written out. */
std::string SceneCommand(const Batch& batch, const std::vector<Value>& values);

}  // namespace intervox::host
