// `intervox batch`: runs a scene many times with sampled values, and tells how far it is.
#include "host/cli/batch_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>

#include "host/batch/progress_text.h"
#include "host/batch/run.h"
#include "host/batch/runner.h"
#include "host/cli/cli.h"
#include "host/cli/edits.h"
#include "host/cli/file_kind.h"
#include "host/cli/interrupt.h"
#include "host/cli/progress.h"
#include "host/cli/version.h"
#include "host/cli/warn.h"
#include "host/input/error.h"
#include "host/input/writable.h"

namespace intervox::cli {
namespace {

/** Time between two turns of the progress line on a terminal, and between two lines elsewhere [s].
 */
constexpr double kTurnSeconds = 0.2;
constexpr double kLineSeconds = 10.0;
/** Failed runs that are listed at the end. */
constexpr int kMostListed = 5;

struct BatchArguments {
  std::string file;
  std::string out;
  std::vector<std::string> overrides;
  int threads = 0;
  std::string shard = "1/1";
  std::int64_t only = -1;
  std::int64_t number = 0;  ///< 0: the file's
  bool resume = false;
  bool retry_failed = false;
  bool quiet = false;
};

/** "2/4" as 2 and 4. */
void ReadShard(const std::string& text, host::BatchOptions* options) {
  const std::size_t slash = text.find('/');
  const auto number = [&](const std::string& digits) {
    const bool good = !digits.empty() && digits.size() < 7 &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
    return good ? std::stoi(digits) : 0;
  };
  if (slash != std::string::npos) {
    options->shard = number(text.substr(0, slash));
    options->shards = number(text.substr(slash + 1));
  }
  if (slash == std::string::npos || options->shard < 1 || options->shard > options->shards) {
    throw host::InputError("command line: --shard: '" + text +
                           "' is no shard. Write i/n with i from 1 to n, for example 2/4.");
  }
}

void PrintSummary(const host::Batch& batch, const host::BatchSummary& summary) {
  const host::BatchProgress& p = summary.progress;
  std::cout << fmt::format("{}: {} of {} runs finished, {} failed\n", batch.name, p.finished,
                           p.total, p.failed);
  for (std::size_t o = 0; o < batch.outcomes.size(); ++o) {
    std::int64_t count = 0;
    double sum = 0, least = 0, most = 0;
    for (const host::RunResult& run : summary.finished.runs) {
      if (!run.ok) continue;
      const double x = run.outcomes[o];
      least = count == 0 ? x : std::fmin(least, x);
      most = count == 0 ? x : std::fmax(most, x);
      sum += x;
      ++count;
    }
    if (count == 0) continue;
    const std::string& name = batch.outcomes[o].name;
    if (batch.outcomes[o].boolean) {
      const host::Rate rate = host::WilsonRate(std::llround(sum), count);
      std::cout << fmt::format("  {:<16} {:.2f} %, 95 % interval {:.2f} … {:.2f} %\n", name,
                               100 * rate.rate, 100 * rate.lo, 100 * rate.hi);
    } else {
      std::cout << fmt::format("  {:<16} mean {:.6g}, {:.6g} … {:.6g}\n", name,
                               sum / static_cast<double>(count), least, most);
    }
  }
}

/** Whether `until` ended the batch, and by how much. */
void TellUntil(const host::Batch& batch, const host::BatchSummary& summary) {
  if (!batch.until || summary.cancelled) return;
  std::int64_t hits = 0, count = 0;
  for (const host::RunResult& run : summary.finished.runs) {
    if (!run.ok) continue;
    ++count;
    hits += run.outcomes[batch.until->outcome] != 0 ? 1 : 0;
  }
  const host::Rate rate = host::WilsonRate(hits, count);
  const std::string& name = batch.outcomes[batch.until->outcome].name;
  std::cout << fmt::format("  {}: the interval of {} is {:.2f} % wide, {:g} % are asked for\n",
                           summary.decided ? "ended by until" : "until is not reached", name,
                           100 * (rate.hi - rate.lo), 100 * batch.until->interval);
}

void ListFailures(const host::BatchSummary& summary) {
  int listed = 0;
  for (const host::RunResult& run : summary.finished.runs) {
    if (run.ok) continue;
    if (++listed > kMostListed) break;
    std::cerr << fmt::format("intervox: run {} failed: {}\n  alone: {}\n", run.id, run.reason,
                             run.replay);
  }
  if (listed > kMostListed) {
    std::cerr << fmt::format("  and {} more; batch.h5 has their reasons\n",
                             summary.progress.failed - kMostListed);
  }
}

/** Runs one of a batch alone: its trajectory as a results file, its outcomes on the terminal. What
 a run draws depends on the seed and its number alone, so any number will do. */
int RunOnly(const host::Batch& batch, const BatchArguments& options) {
  host::RequireController(batch);
  const std::filesystem::path out =
      options.out.empty() ? fmt::format("{}_{}.h5", batch.path.stem().string(), options.only)
                          : options.out;
  host::RequireOther(out, batch.path);
  host::RequireOther(out, batch.scene_path);
  const host::Trajectory trajectory{out, {Version(), Commit(), "cpu, 1 thread"}};
  const Simulation like(batch.scene, EngineOptions{Device::kSerial, 1});
  if (!options.quiet) Warn(like.Warnings());
  const auto run = host::ComputeRun(batch, like, options.only, {&trajectory, Interrupted, {}});
  if (!run) {
    std::cerr << "intervox: interrupted; the run has no results.\n";
    return kFailed;
  }
  std::cout << host::SceneCommand(batch, host::DrawRun(batch, options.only)) << '\n';
  for (std::size_t k = 0; k < run->outcomes.size(); ++k) {
    std::cout << fmt::format("  {:<16} {}\n", batch.outcomes[k].name, run->outcomes[k]);
  }
  if (!run->ok) std::cerr << fmt::format("intervox: run {} failed: {}\n", run->id, run->reason);
  std::cout << "results: " << out.string() << '\n';
  return run->ok ? kDone : kFailed;
}

int RunBatch(const BatchArguments& options) {
  host::BatchOptions how;
  ReadShard(options.shard, &how);
  ShowGrids(!options.quiet);
  RequireKind(options.file, "batch", {FileKind::kBatch});
  host::Batch batch = host::LoadBatch(options.file, options.overrides);
  if (options.number > 0) batch.number = options.number;
  CatchInterrupts();
  if (options.only >= 0) return RunOnly(batch, options);
  how.folder = options.out.empty() ? std::filesystem::path(options.file).stem()
                                   : std::filesystem::path(options.out);
  how.threads = options.threads;
  how.resume = options.resume;
  how.retry_failed = options.retry_failed;
  how.provenance = {Version(), Commit(), "cpu, 1 thread"};
  how.cancelled = Interrupted;
  const bool terminal = isatty(STDERR_FILENO) == 1;
  how.tick_seconds = terminal ? kTurnSeconds : kLineSeconds;
  if (!options.quiet) {
    how.warn = Warn;
    how.tick = [&](const host::BatchProgress& progress) {
      std::cerr << (terminal ? "\r\033[K" : "") << host::ProgressText(batch, progress)
                << (terminal ? "" : "\n") << std::flush;
    };
  }
  ShowGrids(false);  // a batch has a line of its own
  const host::BatchSummary summary = host::RunBatch(batch, how);
  if (terminal && !options.quiet) std::cerr << "\r\033[K";
  if (summary.finished.damaged > 0) {
    std::cerr << fmt::format(
        "intervox: warning: damaged lines in the journals: {}. Their runs were done again.\n",
        summary.finished.damaged);
  }
  if (!options.quiet) {
    PrintSummary(batch, summary);
    TellUntil(batch, summary);
  }
  ListFailures(summary);
  if (summary.cancelled) {
    std::cerr << "intervox: interrupted. The finished runs are saved; repeat the command with "
                 "--resume to go on.\n";
    return kFailed;
  }
  if (!options.quiet) std::cout << "results: " << (how.folder / "batch.h5").string() << '\n';
  return summary.progress.failed > 0 ? kFailed : kDone;
}

}  // namespace

void AddBatch(CLI::App& app, int& status) {
  const auto options = std::make_shared<BatchArguments>();
  CLI::App* command = app.add_subcommand("batch", "Run a scene many times with sampled values");
  command->add_option("file", options->file, "Batch file, intervox/batch/1")->required();
  command->add_option("-o,--out", options->out,
                      "Folder of the results; default: the batch file's name. With --only a file");
  AddEdits(command, &options->overrides);
  command->add_option("--threads", options->threads, "0: all cores")->check(CLI::Range(0, 4096));
  command->add_option("--shard", options->shard, "i/n: the i-th of n parts of the runs");
  command->add_option("--only", options->only, "One run alone, of any number, with its trajectory")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  command->add_option("--number", options->number, "Number of runs, in place of the file's")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command->add_flag("--resume", options->resume, "Go on with what the folder holds");
  command->add_flag("--retry-failed", options->retry_failed,
                    "Go on, and do the runs that failed again");
  command->add_flag("-q,--quiet", options->quiet, "No progress, no summary");
  command->callback([options, &status] { status = RunBatch(*options); });
}

}  // namespace intervox::cli
