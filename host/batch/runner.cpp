#include "host/batch/runner.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "host/batch/run.h"
#include "host/batch/table.h"
#include "host/input/error.h"
#include "host/results/replace_file.h"

namespace intervox::host {
namespace {

using Clock = std::chrono::steady_clock;

/** Least time between two writes of the table to disk [s]; and so many times what the last took. */
constexpr double kTableSeconds = 2.0;
constexpr double kTableShare = 20.0;
/** Between two syncs of the journal [s]. */
constexpr double kSyncSeconds = 1.0;
/** Between two looks at whether to end [s]. */
constexpr double kWaitSeconds = 0.02;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string JournalName(const BatchOptions& options) {
  if (options.shards == 1) return "runs.jsonl";
  return "runs-" + std::to_string(options.shard) + "-of-" + std::to_string(options.shards) +
         ".jsonl";
}

/** @throws InputError when the runs of a folder are not this batch's. */
void RequireSameBatch(const BatchHeader& there, const BatchHeader& header,
                      const std::string& folder) {
  if (there.controller.empty() != header.controller.empty()) {
    throw InputError(folder + ": holds runs " +
                     (header.controller.empty()
                          ? "with a controller, which this call does not have. Give it from Python"
                          : "without a controller. Leave it out") +
                     ", or name another folder with -o.");
  }
  if (there.fingerprint == header.fingerprint) return;
  throw InputError(folder + ": holds runs of another batch ('" + there.name + "' from " +
                   there.batch_file +
                   ", or of this one before its scene, sample, seed, stop or outcomes were "
                   "changed). Name another folder with -o.");
}

/** What a folder holds already. @throws InputError when this batch must not go there. */
FinishedRuns Take(const Batch& batch, const BatchOptions& options, const BatchHeader& header) {
  std::error_code error, none;
  std::filesystem::create_directories(options.folder, error);
  const std::string folder = options.folder.string();
  if (!std::filesystem::is_directory(options.folder, none)) {
    const bool is_taken = std::filesystem::exists(options.folder, none);
    throw InputError(folder +
                     (is_taken ? ": is a file, and a batch fills a folder"
                               : ": the folder cannot be made (" + error.message() + ")") +
                     ". Name another with -o.");
  }
  FinishedRuns finished = ReadJournals(options.folder).value_or(FinishedRuns{});
  if (finished.header.fingerprint.empty()) {
    if (std::filesystem::exists(options.folder / "batch.h5", error)) {
      throw InputError(folder +
                       ": holds a batch.h5 but no journal to go on from. Name another folder "
                       "with -o.");
    }
  } else {
    RequireSameBatch(finished.header, header, folder);
  }
  const auto ours = [&](const RunResult& run) {
    return run.id % options.shards == options.shard - 1 && run.id < batch.number;
  };
  const std::string mark = ControllerMark(batch);
  const auto others = std::count_if(finished.runs.begin(), finished.runs.end(),
                                    [&](const RunResult& run) { return run.controller != mark; });
  if (others > 0 && !options.retry_failed) {
    throw InputError(folder + ": holds " + std::to_string(others) +
                     " finished runs of another controller, or of this one before it was changed. "
                     "Repeat with retry_failed=True to keep those that did not fail and do all "
                     "others with this one, or name another folder.");
  }
  const auto count = std::count_if(finished.runs.begin(), finished.runs.end(), ours);
  if (count > 0 && !options.resume && !options.retry_failed) {
    throw InputError(folder + ": holds " + std::to_string(count) +
                     (count == 1 ? " finished run" : " finished runs") +
                     " of this batch. Repeat with --resume to go on, or name "
                     "another folder with -o.");
  }
  finished.header = header;
  return finished;
}

/** The runs of a batch being computed. */
class Runner {
 public:
  Runner(const Batch& batch, const BatchOptions& options)
      : batch_(batch),
        options_(options),
        header_(MakeHeader(batch, options.provenance)),
        mark_(ControllerMark(batch)),
        finished_(Take(batch, options, header_)),
        journal_(options.folder / JournalName(options), header_),
        like_(batch.scene, EngineOptions{Device::kSerial, 1}) {
    if (options.retry_failed) ForgetFailed();
    for (const RunResult& run : finished_.runs) done_.insert(run.id);
    const auto boolean = std::find(header_.boolean.begin(), header_.boolean.end(), true);
    if (boolean != header_.boolean.end()) {
      progress_.outcome = static_cast<int>(boolean - header_.boolean.begin());
    }
    for (const RunResult& run : finished_.runs) Count(run);
    progress_.total = batch.number;
    progress_.pending = static_cast<std::int64_t>(Pending(0, batch.number).size());
    if (batch.keep != Keep::kNone) {
      std::filesystem::create_directories(options.folder / "trajectories");
    }
  }

  BatchSummary Run() {
    if (options_.warn) options_.warn(like_.Warnings());
    const std::int64_t block = batch_.until ? batch_.until->block : batch_.number;
    std::int64_t end = 0;
    bool decided = DecidedAt(finished_).has_value();
    while (!decided && !stop_ && end < batch_.number) {
      const std::int64_t begin = end;
      end = std::min(begin + block, batch_.number);
      RunAll(Pending(begin, end));
      decided = DecidedAt(finished_).has_value();
    }
    if (failure_) {
      SaveQuietly();
      std::rethrow_exception(failure_);
    }
    journal_.Sync();
    const auto gathered = GatherTable(options_.folder);
    return {Now(), *gathered, Cancelled() && progress_.pending > 0 && !decided, decided};
  }

 private:
  /** Has the runs of this shard that failed done again; until then their lines stand. */
  void ForgetFailed() {
    std::erase_if(finished_.runs, [&](const RunResult& run) {
      const bool ours = run.id % options_.shards == options_.shard - 1 && run.id < batch_.number;
      if (run.ok || !ours) return false;
      attempts_[run.id] = run.attempt;
      return true;
    });
  }

  std::vector<std::int64_t> Pending(std::int64_t begin, std::int64_t end) const {
    std::vector<std::int64_t> ids;
    const std::int64_t first = options_.shard - 1;
    for (std::int64_t k = begin; k < end; ++k) {
      if (k % options_.shards == first && !done_.contains(k)) ids.push_back(k);
    }
    return ids;
  }

  bool Cancelled() const { return options_.cancelled && options_.cancelled(); }

  /** Computes these runs on threads; the calling one keeps the files and tells how far it is. */
  void RunAll(const std::vector<std::int64_t>& ids) {
    if (ids.empty()) return;
    std::atomic<std::size_t> next{0};
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int wanted = options_.threads > 0 ? options_.threads : cores;
    const auto count = std::min<std::size_t>(static_cast<std::size_t>(wanted), ids.size());
    working_ = count;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t) {
      threads.emplace_back([&] {
        Work(ids, next);
        const std::lock_guard lock(mutex_);
        --working_;
        changed_.notify_all();
      });
    }
    try {
      Watch();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      stop_ = true;
    }
    for (std::thread& thread : threads) thread.join();
  }

  void Work(const std::vector<std::int64_t>& ids, std::atomic<std::size_t>& next) {
    try {
      for (std::size_t k = next++; k < ids.size() && !stop_; k = next++) {
        auto run = Compute(ids[k]);
        if (!run) return;
        const std::lock_guard lock(mutex_);
        Add(std::move(*run));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  RunOptions How(const Trajectory* record) const {
    return {record, [this] { return stop_.load(std::memory_order_relaxed); }, options_.control};
  }

  std::optional<RunResult> Compute(std::int64_t id) {
    if (batch_.keep == Keep::kAll) return Recorded(id);
    auto run = ComputeRun(batch_, like_, id, How(nullptr));
    if (run && !run->ok && batch_.keep == Keep::kFailed) {
      const double seconds = run->seconds;
      run = Recorded(id);
      if (run) run->seconds = seconds;
    } else if (run && attempts_.contains(id)) {
      std::error_code error;
      std::filesystem::remove(TrajectoryPath(options_.folder, id), error);  // of when it failed
    }
    return run;
  }

  /** With its trajectory, which is aside until it is whole. */
  std::optional<RunResult> Recorded(std::int64_t id) {
    const std::filesystem::path path = TrajectoryPath(options_.folder, id);
    std::filesystem::path aside = path;
    aside += ".new";
    const Trajectory trajectory{aside, options_.provenance};
    auto run = ComputeRun(batch_, like_, id, How(&trajectory));
    std::error_code error;
    if (run && std::filesystem::exists(aside, error)) {
      ReplaceFile(aside, path);
    } else {
      std::filesystem::remove(aside, error);
    }
    return run;
  }

  void Add(RunResult run) {
    run.controller = mark_;
    if (const auto at = attempts_.find(run.id); at != attempts_.end()) run.attempt += at->second;
    journal_.Append(run);
    Count(run);
    ++progress_.here;
    --progress_.pending;
    const auto at = std::lower_bound(finished_.runs.begin(), finished_.runs.end(), run.id,
                                     [](const RunResult& a, std::int64_t id) { return a.id < id; });
    finished_.runs.insert(at, std::move(run));
  }

  void Count(const RunResult& run) {
    ++progress_.finished;
    if (!run.ok) ++progress_.failed;
    if (!run.ok || progress_.outcome < 0) return;
    ++judged_;
    hits_ += run.outcomes[static_cast<std::size_t>(progress_.outcome)] != 0 ? 1 : 0;
  }

  BatchProgress Now() const {
    BatchProgress now = progress_;
    now.seconds = Since(start_);
    now.rate = WilsonRate(hits_, judged_);
    return now;
  }

  /** Until all threads are done: looks for the user's wish to end, syncs and tells. */
  void Watch() {
    std::unique_lock lock(mutex_);
    while (working_ > 0) {
      changed_.wait_for(lock, std::chrono::duration<double>(kWaitSeconds));
      if (Cancelled()) stop_ = true;
      if (Since(synced_) > kSyncSeconds) {
        synced_ = Clock::now();
        lock.unlock();
        journal_.Sync();
        lock.lock();
      }
      if (Since(written_) > std::max(kTableSeconds, kTableShare * writing_)) SaveTable(lock);
      if (options_.tick && Since(told_) > options_.tick_seconds) {
        told_ = Clock::now();
        const BatchProgress now = Now();
        lock.unlock();
        options_.tick(now);
        lock.lock();
      }
    }
  }

  void SaveTable(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    const Clock::time_point before = Clock::now();
    std::exception_ptr failure;
    try {
      GatherTable(options_.folder);
    } catch (...) {
      failure = std::current_exception();
    }
    writing_ = Since(before);
    lock.lock();
    written_ = Clock::now();
    if (failure && !failure_) {
      failure_ = failure;
      stop_ = true;
    }
  }

  /** After a failure that is told anyway. */
  void SaveQuietly() {
    try {
      GatherTable(options_.folder);
    } catch (const std::exception&) {
      // The journal has it all.
    }
  }

  const Batch& batch_;
  const BatchOptions& options_;
  BatchHeader header_;
  std::string mark_;  ///< of the controller
  FinishedRuns finished_;
  Journal journal_;
  Simulation like_;
  std::set<std::int64_t> done_;           ///< before this call
  std::map<std::int64_t, int> attempts_;  ///< so far, of the runs that are done again

  std::mutex mutex_;  ///< of all below, and of finished_ and the journal's end
  std::condition_variable changed_;
  std::size_t working_ = 0;
  BatchProgress progress_;
  std::int64_t hits_ = 0;
  std::int64_t judged_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> stop_{false};

  Clock::time_point start_ = Clock::now();
  Clock::time_point told_ = start_;
  Clock::time_point synced_ = start_;
  Clock::time_point written_ = start_;
  double writing_ = 0.0;
};

}  // namespace

BatchSummary RunBatch(const Batch& batch, const BatchOptions& options) {
  RequireController(batch);
  if (batch.until && options.shards > 1) {
    throw InputError(batch.path.string() +
                     ": until: a shard does not know the other shards' runs. Leave out until, or "
                     "--shard.");
  }
  return Runner(batch, options).Run();
}

}  // namespace intervox::host
