#include "host/batch/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "host/batch/expression.h"
#include "host/input/nearest.h"
#include "host/scene/named_paths.h"
#include "host/scene/reader.h"
#include "host/scene/text.h"
#include "host/world/checksum.h"

namespace intervox::host {
namespace {

/** Whether the values at a path are angles in degrees: its last key says so. */
bool IsInDegrees(const std::string& path) {
  const std::string key = path.substr(0, path.find_last_not_of("[]0123456789") + 1);
  return key.ends_with("_deg");
}

/** Reads the sections of a batch file into a batch whose scene is read. */
class BatchReader {
 public:
  BatchReader(const Cursor& root, Batch* batch) : root_(root), batch_(*batch) {}

  void Read() {
    batch_.name = root_.String("name", batch_.path.stem().string());
    batch_.number = Whole("number", 1);
    batch_.seed = static_cast<std::uint64_t>(Whole("seed", 0));
    if (root_.Has("sample")) Sample(root_.At("sample"));
    if (root_.Has("stop")) Stop(root_.At("stop"));
    Outcomes(root_.At("outcomes"));
    if (root_.Has("until")) Until(root_.At("until"));
    batch_.steered_by = root_.String("controller", "");
    if (root_.Has("keep")) {
      const std::string word = root_.At("keep").String();
      batch_.keep = word == "all" ? Keep::kAll : word == "failed" ? Keep::kFailed : Keep::kNone;
    }
  }

 private:
  static std::int64_t RequireWhole(const Cursor& cursor) {
    const double x = cursor.Number();
    if (x != std::floor(x)) cursor.Fail("not a whole number", "Write it without a point.");
    return static_cast<std::int64_t>(x);
  }
  std::int64_t Whole(const std::string& key, std::int64_t otherwise) const {
    return root_.Has(key) ? RequireWhole(root_.At(key)) : otherwise;
  }

  /** Things of the scene are named by it alone: a path must not make a new one. */
  void RequireNamed(const Cursor& entry, const std::string& path) const {
    const auto unknown = FindUnknownThing(batch_.document, path);
    if (unknown) entry.Fail(unknown->what, unknown->suggestion);
  }

  void Sample(const Cursor& sample) {
    sample.ForEach([&](const Cursor& entry, const std::string& path) {
      RequireNamed(entry, path);
      SampledPath sampled;
      sampled.path = path;
      sampled.distribution = ReadDistribution(entry);
      sampled.at.file = entry.value().file;
      sampled.at.line = entry.value().line;
      sampled.hash = PathHash(path);
      sampled.same_as = batch_.sample.size();
      batch_.sample.push_back(std::move(sampled));
    });
    for (SampledPath& sampled : batch_.sample) {
      if (const auto* same = std::get_if<SameDistribution>(&sampled.distribution)) {
        const Cursor entry = sample.At(sampled.path);
        const Cursor cursor = entry.At("same");
        sampled.same_as = IndexOf(*same, cursor);
        if (IsInDegrees(sampled.path) != IsInDegrees(same->path)) {
          cursor.Fail("of '" + sampled.path + "' and '" + same->path + "' one is in degrees",
                      "Sample both in one unit, or each by itself.");
        }
      }
      sampled.numeric = IsNumeric(batch_.sample[sampled.same_as].distribution);
    }
  }

  std::size_t IndexOf(const SameDistribution& same, const Cursor& cursor) const {
    std::vector<std::string> paths;
    paths.reserve(batch_.sample.size());
    for (const SampledPath& sampled : batch_.sample) {
      if (!std::holds_alternative<SameDistribution>(sampled.distribution)) {
        paths.push_back(sampled.path);
      }
    }
    for (std::size_t k = 0; k < batch_.sample.size(); ++k) {
      if (batch_.sample[k].path != same.path) continue;
      if (!std::holds_alternative<SameDistribution>(batch_.sample[k].distribution)) return k;
      cursor.Fail("'" + same.path + "' is itself the same as another",
                  "Name the path that is drawn.");
    }
    cursor.Fail("'" + same.path + "' is not sampled",
                paths.empty() ? "Sample it, or name a path that is." : Suggest(same.path, paths));
  }

  Expression Compile(const Cursor& cursor) const {
    try {
      return {cursor.String(), batch_.scene};
    } catch (const std::invalid_argument& error) {
      cursor.Fail(error.what(), "");
    }
  }

  void Stop(const Cursor& stop) {
    if (stop.Has("when")) {
      Compile(stop.At("when"));
      batch_.stop.when = stop.At("when").String();
    }
    batch_.stop.after = stop.MaybeNumber("after");
  }

  void Outcomes(const Cursor& outcomes) {
    outcomes.ForEach([&](const Cursor& entry, const std::string& name) {
      const auto bad = [](unsigned char c) { return c == '/' || c < ' '; };
      if (name.empty() || name == "." || name == ".." ||
          std::any_of(name.begin(), name.end(), bad)) {
        entry.Fail("this name cannot name a column of the results",
                   "Use letters, digits and underscores.");
      }
      batch_.outcomes.push_back({name, entry.String(), Compile(entry).boolean()});
    });
    if (batch_.outcomes.empty()) outcomes.Fail("there is no outcome", "Add one.");
  }

  void Until(const Cursor& until) {
    UntilRule rule;
    const Cursor outcome = until.At("outcome");
    std::vector<std::string> names;
    names.reserve(batch_.outcomes.size());
    for (const OutcomeRule& known : batch_.outcomes) {
      if (known.boolean) names.push_back(known.name);
    }
    const auto found =
        std::find_if(batch_.outcomes.begin(), batch_.outcomes.end(),
                     [&](const OutcomeRule& rule) { return rule.name == outcome.String(); });
    if (found == batch_.outcomes.end()) {
      outcome.Fail("no outcome is named '" + outcome.String() + "'",
                   Suggest(outcome.String(), names));
    }
    if (!found->boolean) {
      outcome.Fail("'" + found->name + "' is a number, which has no rate",
                   "Name an outcome that compares, such as \"x < 1\".");
    }
    rule.outcome = static_cast<std::size_t>(found - batch_.outcomes.begin());
    rule.interval = until.At("interval").Number();
    if (until.Has("block")) rule.block = RequireWhole(until.At("block"));
    batch_.until = rule;
  }

  const Cursor& root_;
  Batch& batch_;
};

/** Whether a value names the file of a part. */
bool NamesFile(const Value& value) {
  return value.Find("file") != nullptr ||
         std::any_of(value.items.begin(), value.items.end(), NamesFile) ||
         std::any_of(value.entries.begin(), value.entries.end(),
                     [](const Entry& entry) { return NamesFile(entry.value); });
}

/** Which value, set after those before it, has the scene refused that was not so before. */
std::size_t Culprit(const Batch& batch, const std::vector<Value>& values) {
  std::size_t culprit = 0;
  bool was_read = true;
  Value document = batch.document;
  for (std::size_t k = 0; k < values.size(); ++k) {
    SetAt(batch.sample[k].path, values[k], batch.sample[k].at, document);
    bool is_read = true;
    try {
      ReadScene(document, batch.scene_source, batch.scene_path);
    } catch (const InputError&) {
      is_read = false;
    }
    if (was_read && !is_read) culprit = k;
    was_read = is_read;
  }
  return culprit;
}

/** The scene with these ends of the ranges. @throws InputError that names a line of the batch. */
Scene CornerScene(const Batch& batch, const std::vector<Value>& values) {
  try {
    return SceneWith(batch, values);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.starts_with(batch.path.string() + ":")) throw;
    const std::size_t k = Culprit(batch, values);
    const SampledPath& sampled = batch.sample[k];
    throw InputError(batch.path.string() + ":" + std::to_string(sampled.at.line) + ": " +
                     sampled.path + ": with " + Cursor(values[k]).Found() +
                     " the scene is refused. " + what);
  }
}

/** Reads the scene with the ends of all ranges at once. Returns a checksum of the scenes in which a
 choice names a part's file, whose text does not tell what the file holds; 0: none does. */
std::uint64_t TryCorners(const Batch& batch) {
  Checksum parts;
  std::vector<std::vector<Value>> corners;
  std::size_t most = 0;
  for (const SampledPath& sampled : batch.sample) {
    corners.push_back(Corners(batch.sample[sampled.same_as].distribution, sampled.at));
    most = std::max(most, corners.back().size());
  }
  for (std::size_t k = 0; k < most; ++k) {
    std::vector<Value> values;
    values.reserve(corners.size());
    for (const std::vector<Value>& of_path : corners) {
      values.push_back(of_path[std::min(k, of_path.size() - 1)]);
    }
    const Scene scene = CornerScene(batch, values);
    if (std::any_of(values.begin(), values.end(), NamesFile)) parts.AddText(ToYaml(scene));
  }
  return parts.value() == Checksum().value() ? 0 : parts.value();
}

/** A word that a shell takes as it stands. */
std::string ForShell(const std::string& word) {
  const bool plain = word.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_-+./=:,%@") == std::string::npos;
  if (plain && !word.empty()) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string SetArguments(const Batch& batch) {
  std::string text;
  for (const std::string& edit : batch.overrides) text += " --set " + ForShell(edit);
  return text;
}

}  // namespace

Batch LoadBatch(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  Batch batch;
  batch.path = path;
  batch.source = ReadTextFile(path);
  const Value document = ParseDocument(batch.source, path.string());
  const Cursor root(document);
  Validate(root, ObjectNamed("batch"));
  const Cursor scene = root.At("scene");
  batch.scene_path = path.parent_path() / scene.String();
  try {
    batch.scene_source = ReadTextFile(batch.scene_path);
  } catch (const InputError& error) {
    scene.Fail(std::string("cannot be read (") + error.what() + ")",
               "Paths are relative to the batch file.");
  }
  batch.overrides = overrides;
  batch.document = ParseDocument(batch.scene_source, batch.scene_path.string());
  for (const std::string& edit : overrides) ApplySceneOverride(edit, batch.document);
  batch.scene = ReadScene(batch.document, batch.scene_source, batch.scene_path);
  BatchReader(root, &batch).Read();
  batch.parts = TryCorners(batch);
  return batch;
}

std::vector<Value> DrawRun(const Batch& batch, std::int64_t run) {
  std::vector<Value> values;
  values.reserve(batch.sample.size());
  for (const SampledPath& sampled : batch.sample) {
    const SampledPath& drawn = batch.sample[sampled.same_as];
    const Stream stream{batch.seed, static_cast<std::uint64_t>(run), drawn.hash};
    values.push_back(Draw(drawn.distribution, stream, sampled.at));
  }
  return values;
}

Scene SceneWith(const Batch& batch, const std::vector<Value>& values) {
  Value document = batch.document;
  for (std::size_t k = 0; k < values.size(); ++k) {
    SetAt(batch.sample[k].path, values[k], batch.sample[k].at, document);
  }
  return ReadScene(std::move(document), batch.scene_source, batch.scene_path);
}

std::uint64_t Fingerprint(const Batch& batch) {
  Checksum sum;
  sum.AddText(ToYaml(batch.scene));
  sum.Add(static_cast<std::int64_t>(batch.seed));
  for (const SampledPath& sampled : batch.sample) {
    sum.AddText(sampled.path);
    sum.Add(static_cast<std::int64_t>(sampled.same_as));
    sum.Add(static_cast<std::int64_t>(sampled.distribution.index()));
    if (const auto* u = std::get_if<UniformDistribution>(&sampled.distribution)) {
      sum.Add(Vec3{u->lo, u->hi, u->logarithmic ? 1.0 : 0.0});
    } else if (const auto* n = std::get_if<NormalDistribution>(&sampled.distribution)) {
      sum.Add(Vec3{n->mean, n->sigma, n->lo});
      sum.Add(n->hi);
    } else if (const auto* c = std::get_if<ChoiceDistribution>(&sampled.distribution)) {
      for (const Value& value : c->values) sum.AddText(FlowText(value));
    }
  }
  sum.AddText(batch.stop.when);
  sum.Add(batch.stop.after.value_or(-1.0));
  for (const OutcomeRule& outcome : batch.outcomes) {
    sum.AddText(outcome.name);
    sum.AddText(outcome.expression);
  }
  if (!batch.controller.empty()) sum.AddText("controller");
  if (batch.parts != 0) sum.Add(static_cast<std::int64_t>(batch.parts));
  return sum.value();
}

std::string ControllerMark(const Batch& batch) {
  if (batch.controller.empty()) return "";
  Checksum sum;
  sum.AddText(batch.controller);
  return fmt::format("{:016x}", sum.value());
}

void RequireController(const Batch& batch) {
  if (batch.steered_by.empty() || !batch.controller.empty()) return;
  throw InputError(batch.path.string() + ": controller: its runs are steered by " +
                   batch.steered_by +
                   ", which this call does not have. Run that, or give a controller to "
                   "intervox.run_batch in Python.");
}

std::string ReplayCommand(const Batch& batch, std::int64_t run) {
  if (!batch.controller.empty()) {
    const std::string file = std::filesystem::absolute(batch.path).lexically_normal().string();
    std::string edits;
    for (const std::string& edit : batch.overrides) {
      edits += (edits.empty() ? ", overrides=[" : ", ") + Quoted(edit);
    }
    if (!edits.empty()) edits += "]";
    return "intervox.run_batch(" + Quoted(file) + ", \"run_" + std::to_string(run) +
           ".h5\", only=" + std::to_string(run) + ", controller=…" + edits + ")";
  }
  return "intervox batch " +
         ForShell(std::filesystem::absolute(batch.path).lexically_normal().string()) +
         SetArguments(batch) + " --only " + std::to_string(run);
}

std::string SceneCommand(const Batch& batch, const std::vector<Value>& values) {
  std::string text =
      "intervox run " +
      ForShell(std::filesystem::absolute(batch.scene_path).lexically_normal().string()) +
      SetArguments(batch);
  for (std::size_t k = 0; k < values.size(); ++k) {
    text += " --set " + ForShell(batch.sample[k].path + "=" + FlowText(values[k]));
  }
  return text;
}

}  // namespace intervox::host
