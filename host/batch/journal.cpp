#include "host/batch/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "host/input/error.h"
#include "host/world/checksum.h"

namespace intervox::host {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "intervox/runs/1";
constexpr const char* kSum = ",\"sum\":\"";

std::string SumOf(const std::string& text) {
  Checksum sum;
  sum.AddText(text);
  return fmt::format("{:016x}", sum.value());
}

/** One line of a journal: JSON that ends with its own checksum. */
std::string Line(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  return text + kSum + SumOf(text) + "\"}\n";
}

/** The JSON of a line; nothing when it is not as it was written. */
std::optional<Json> ReadLine(const std::string& line) {
  const std::size_t tail = std::strlen(kSum) + 16 + 2;
  if (line.size() <= tail) return std::nullopt;
  const std::string body = line.substr(0, line.size() - tail);
  if (line.substr(body.size()) != kSum + SumOf(body) + "\"}") return std::nullopt;
  Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

Json ToJson(const BatchHeader& h) {
  Json json = {{"schema", kSchema},
               {"name", h.name},
               {"batch", h.fingerprint},
               {"seed", h.seed},
               {"number", h.number},
               {"file", h.batch_file},
               {"set", h.overrides},
               {"parameters", h.parameters},
               {"numeric", h.numeric},
               {"outcomes", h.outcomes},
               {"expressions", h.expressions},
               {"boolean", h.boolean},
               {"version", h.provenance.version},
               {"commit", h.provenance.commit},
               {"device", h.provenance.device},
               {"source", h.batch_source},
               {"scene", h.scene}};
  if (!h.controller.empty()) json["controller"] = h.controller;
  if (h.until) {
    json["until"] = {
        {"outcome", h.until->outcome}, {"interval", h.until->interval}, {"block", h.until->block}};
  }
  return json;
}

BatchHeader HeaderOf(const Json& json) {
  BatchHeader h;
  h.name = json.at("name");
  h.fingerprint = json.at("batch");
  h.seed = json.at("seed");
  h.number = json.at("number");
  h.batch_file = json.at("file");
  h.overrides = json.at("set").get<std::vector<std::string>>();
  h.parameters = json.at("parameters").get<std::vector<std::string>>();
  h.numeric = json.at("numeric").get<std::vector<bool>>();
  h.outcomes = json.at("outcomes").get<std::vector<std::string>>();
  h.expressions = json.at("expressions").get<std::vector<std::string>>();
  h.boolean = json.at("boolean").get<std::vector<bool>>();
  h.provenance = {json.at("version"), json.at("commit"), json.at("device")};
  h.batch_source = json.at("source");
  h.scene = json.at("scene");
  h.controller = json.value("controller", "");
  if (json.contains("until")) {
    const Json& until = json["until"];
    h.until = UntilRule{until.at("outcome"), until.at("interval"), until.at("block")};
  }
  return h;
}

Json ToJson(const RunResult& run) {
  Json json = {{"run", run.id},
               {"status", run.ok ? "ok" : "failed"},
               {"parameters", run.values},
               {"outcomes", run.outcomes},
               {"seconds", run.seconds}};
  if (!run.controller.empty()) json["controller"] = run.controller;
  if (run.attempt > 1) json["attempt"] = run.attempt;
  if (!run.ok) {
    json["reason"] = run.reason;
    json["replay"] = run.replay;
  }
  return json;
}

RunResult RunOf(const Json& json) {
  RunResult run;
  run.id = json.at("run");
  run.ok = json.at("status") == "ok";
  run.values = json.at("parameters").get<std::vector<std::string>>();
  run.outcomes = json.at("outcomes").get<std::vector<double>>();
  run.seconds = json.at("seconds");
  run.reason = json.value("reason", "");
  run.replay = json.value("replay", "");
  run.controller = json.value("controller", "");
  run.attempt = json.value("attempt", 1);
  return run;
}

/** Joins what a journal holds to what others held. */
class Gatherer {
 public:
  void Add(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw InputError(path.string() + ": journal: cannot be read. Check permissions.");
    std::string line;
    while (std::getline(stream, line)) {
      const bool whole = !stream.eof();
      const auto json = ReadLine(line);
      if (json) {
        AddLine(*json, path);
      } else if (whole) {
        ++found_.damaged;
      }
    }
  }

  std::optional<FinishedRuns> Take() {
    if (found_.header.fingerprint.empty()) return std::nullopt;
    for (auto& [id, run] : runs_) found_.runs.push_back(std::move(run));
    return std::move(found_);
  }

 private:
  void AddLine(const Json& json, const std::filesystem::path& path) {
    try {
      if (!json.contains("schema")) {
        AddRun(RunOf(json));
        return;
      }
      if (json["schema"] != kSchema) {
        throw InputError(path.string() + ": journal: its schema is not " + kSchema +
                         ". Read it with the version that wrote it.");
      }
      BatchHeader header = HeaderOf(json);
      if (!found_.header.fingerprint.empty() && header.fingerprint != found_.header.fingerprint) {
        throw InputError(path.string() +
                         ": journal: the runs in this folder are of different batches. Keep the "
                         "journals of one batch in each folder.");
      }
      header.number = std::max(header.number, found_.header.number);
      found_.header = std::move(header);
    } catch (const Json::exception&) {
      ++found_.damaged;
    }
  }

  /** The later attempt counts; a second line of one attempt has the same bits. */
  void AddRun(RunResult run) {
    const auto at = runs_.find(run.id);
    if (at == runs_.end()) {
      runs_.emplace(run.id, std::move(run));
    } else if (run.attempt > at->second.attempt) {
      at->second = std::move(run);
    }
  }

  FinishedRuns found_;
  std::map<std::int64_t, RunResult> runs_;
};

bool IsJournal(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("runs") && path.extension() == ".jsonl";
}

/** Length of a file up to the end of its last whole line. */
off_t WholeLines(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  const std::size_t end = text.view().rfind('\n');
  return end == std::string_view::npos ? 0 : static_cast<off_t>(end + 1);
}

}  // namespace

BatchHeader MakeHeader(const Batch& batch, const Provenance& provenance) {
  BatchHeader h;
  h.name = batch.name;
  h.fingerprint = fmt::format("{:016x}", Fingerprint(batch));
  h.seed = batch.seed;
  h.number = batch.number;
  h.batch_source = batch.source;
  h.scene = ToYaml(batch.scene);
  h.batch_file = std::filesystem::absolute(batch.path).lexically_normal().string();
  h.overrides = batch.overrides;
  for (const SampledPath& sampled : batch.sample) {
    h.parameters.push_back(sampled.path);
    h.numeric.push_back(sampled.numeric);
  }
  for (const OutcomeRule& outcome : batch.outcomes) {
    h.outcomes.push_back(outcome.name);
    h.expressions.push_back(outcome.expression);
    h.boolean.push_back(outcome.boolean);
  }
  h.until = batch.until;
  h.controller = batch.controller;
  h.provenance = provenance;
  return h;
}

Journal::Journal(const std::filesystem::path& path, const BatchHeader& header) : path_(path) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) {
    throw InputError(path.string() + ": journal: cannot be written (" + std::strerror(errno) +
                     "). Check the folder's permissions, or name another with -o.");
  }
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    close(file_);
    throw InputError(path.string() +
                     ": journal: another process is writing it. Wait for it, or name another "
                     "folder with -o.");
  }
  try {
    if (ftruncate(file_, WholeLines(path)) != 0) {
      throw std::runtime_error(path.string() + ": " + std::strerror(errno));
    }
    Write(Line(ToJson(header)));
  } catch (...) {
    close(file_);
    throw;
  }
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

void Journal::Write(const std::string& line) {
  struct stat before {};
  fstat(file_, &before);
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t wrote = ::write(file_, line.data() + done, line.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const std::string why = std::strerror(errno);
      if (ftruncate(file_, before.st_size) != 0) {
        // A resume cuts the unfinished line off.
      }
      throw std::runtime_error(path_.string() + ": cannot be written (" + why +
                               "). All runs before this one are saved. Make room, then repeat the "
                               "command with --resume.");
    }
    done += static_cast<std::size_t>(wrote);
  }
}

void Journal::Append(const RunResult& run) { Write(Line(ToJson(run))); }

void Journal::Sync() { fdatasync(file_); }

std::optional<FinishedRuns> ReadJournals(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (IsJournal(entry.path())) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  Gatherer gatherer;
  for (const std::filesystem::path& path : paths) gatherer.Add(path);
  return gatherer.Take();
}

}  // namespace intervox::host
