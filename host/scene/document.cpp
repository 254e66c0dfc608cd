#include "host/scene/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "host/input/bytes.h"
#include "host/input/printable.h"

namespace intervox::host {
namespace {

/** Builds the tree from the parser's events; yaml-cpp's own tree has cycles and no duplicates. */
class Builder : public YAML::EventHandler {
 public:
  Builder(std::shared_ptr<const std::string> file, const std::string& text)
      : file_(std::move(file)), text_(text) {}

  Value TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(Make(Value::Kind::kNull, mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value = Make(Value::Kind::kScalar, mark);
    value.quoted = tag == "!";
    value.scalar = text;
    if (value.quoted) RequireClosed(value, mark);
    Add(std::move(value), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      Fail(Make(Value::Kind::kNull, mark), "*alias", "an alias stands inside of its own anchor",
           "Write the value out.");
    }
    Count(found->second, Make(Value::Kind::kNull, mark));
    Add(Value(found->second), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(Make(Value::Kind::kSequence, mark), anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(Make(Value::Kind::kMap, mark), anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    Value value;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    Entry entry;
    std::unordered_set<std::string> keys{};  // of a map
  };

  Value Make(Value::Kind kind, const YAML::Mark& mark) const {
    Value value;
    value.kind = kind;
    value.line = mark.line + 1;
    value.file = file_;
    return value;
  }

  /** The parser takes a quote that is never closed for one that ends with the file. */
  void RequireClosed(const Value& value, const YAML::Mark& mark) const {
    auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return;
    const char quote = text_[at++];
    while (at < text_.size() && text_[at] != quote) at += quote == '"' && text_[at] == '\\' ? 2 : 1;
    if (at >= text_.size()) {
      Fail(value, "document", std::string("malformed YAML (a ") + quote + " is never closed)",
           "Close it on this line.");
    }
  }

  void Count(const Value& value, const Value& where) {
    if (++aliased_ > kMaxAliased) {
      Fail(where, "document", "aliases for more than " + std::to_string(kMaxAliased) + " values",
           "Name shapes and refer to them instead.");
    }
    for (const Value& item : value.items) Count(item, where);
    for (const Entry& entry : value.entries) Count(entry.value, where);
  }

  void Open(Value value, YAML::anchor_t anchor) {
    if (levels_.size() >= static_cast<std::size_t>(kMaxDepth)) {
      Fail(value, "document", "nested deeper than " + std::to_string(kMaxDepth) + " levels",
           "Name parts of it and refer to them.");
    }
    levels_.push_back({std::move(value), anchor, false, {}, {}});
  }

  void Close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    Add(std::move(level.value), level.anchor);
  }

  void Add(Value value, YAML::anchor_t anchor) {
    if (value.kind == Value::Kind::kScalar && Printable(value.scalar) != value.scalar) {
      Fail(value, "document",
           "the word '" + Printable(value.scalar).substr(0, kShownWord) +
               "' holds bytes that are not printable UTF-8",
           "Remove them.");
    }
    if (value.kind == Value::Kind::kNull || value.kind == Value::Kind::kScalar) {
      if (++nodes_ > kMaxNodes) {
        Fail(value, "document", "more than " + std::to_string(kMaxNodes) + " values",
             "Split the file.");
      }
    }
    if (anchor != 0) anchors_[anchor] = value;
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& level = levels_.back();
    if (level.has_key && value.kind == Value::Kind::kNull) value.line = level.entry.line;
    if (level.value.kind == Value::Kind::kSequence) {
      level.value.items.push_back(std::move(value));
    } else if (!level.has_key) {
      if (value.kind != Value::Kind::kScalar) {
        Fail(value, "key", "a key must be a word", "Put a plain word before the colon.");
      }
      if (level.value.entries.size() >= kMaxKeys) {
        Fail(value, value.scalar, "more than " + std::to_string(kMaxKeys) + " keys in one map",
             "Split the map.");
      }
      if (!level.keys.insert(value.scalar).second) {
        Fail(value, value.scalar, "the key stands twice in one map", "Remove one of them.");
      }
      level.entry = {std::move(value.scalar), value.line, {}};
      level.has_key = true;
    } else {
      level.entry.value = std::move(value);
      level.value.entries.push_back(std::move(level.entry));
      level.has_key = false;
    }
  }

  std::shared_ptr<const std::string> file_;
  const std::string& text_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Value> anchors_;
  Value root_;
  int nodes_ = 0;
  int aliased_ = 0;
};

struct PathPart {
  std::string key;
  bool index = false;
};

/** Line numbers of a command line mean nothing. */
void ForgetLines(Value& value) {
  value.line = 0;
  for (Value& item : value.items) ForgetLines(item);
  for (Entry& entry : value.entries) {
    entry.line = 0;
    ForgetLines(entry.value);
  }
}

std::vector<PathPart> SplitPath(const std::string& path) {
  std::vector<PathPart> parts;
  std::string word;
  const auto flush = [&] {
    if (word.empty()) return;
    const bool digits = word.find_first_not_of("0123456789") == std::string::npos;
    parts.push_back({word, digits});
    word.clear();
  };
  for (const char c : path) {
    if (c == '.' || c == '[' || c == ']') {
      flush();
    } else {
      word += c;
    }
  }
  flush();
  return parts;
}

/** Whether each bracket that a path opens is closed before the next. */
bool HasClosedBrackets(std::string_view path) {
  bool open = false;
  for (const char c : path) {
    if (c != '[' && c != ']') continue;
    if (open != (c == ']')) return false;
    open = !open;
  }
  return !open;
}

void RequireText(std::string_view text, const Value& here) {
  if (text.find('\0') != std::string_view::npos) {
    Fail(here, "file", "not a text file", "Name a YAML file in UTF-8.");
  }
}

}  // namespace

const Value* Value::Find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Value* Value::Find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).Find(key));
}

void Fail(const Value& value, const std::string& key, const std::string& what,
          const std::string& remedy) {
  std::string place = value.file ? *value.file : std::string("input");
  if (value.line > 0) place += ":" + std::to_string(value.line);
  throw InputError(place + ": " + key + ": " + what + (remedy.empty() ? "" : ". " + remedy));
}

Value ParseDocument(const std::string& text, const std::string& file) {
  const auto name = std::make_shared<const std::string>(file);
  Value here;
  here.file = name;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Builder builder(name, text);
    if (!parser.HandleNextDocument(builder)) {
      Fail(here, "document", "the file is empty", "Start it with 'schema: intervox/…'.");
    }
    Builder second(name, text);
    if (parser.HandleNextDocument(second)) {
      Fail(here, "document", "the file holds more than one YAML document",
           "Keep one document in each file.");
    }
    return builder.TakeRoot();
  } catch (const YAML::Exception& error) {
    here.line = error.mark.is_null() ? 0 : error.mark.line + 1;
    Fail(here, "document", "malformed YAML (" + error.msg + ")",
         "Check indentation, brackets and quotes near this line.");
  }
}

std::string ReadTextFile(const std::filesystem::path& path) {
  std::string text =
      ReadBytes(path, {"Name a YAML file.", "Scene and pair files are small; check the path."});
  Value here;
  here.file = std::make_shared<const std::string>(path.string());
  RequireText(text, here);
  return text;
}

std::string ReadStandardInput() {
  Value here;
  here.file = std::make_shared<const std::string>(kStandardInput);
  std::string text(kMaxBytes + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (text.size() > kMaxBytes) {
    Fail(here, "file", "larger than " + std::to_string(kMaxBytes >> 20) + " MiB",
         "Scene and pair files are small; check what writes it.");
  }
  RequireText(text, here);
  return text;
}

void ApplyOverride(const std::string& override_text, Value& root) {
  const std::string label = "--set " + override_text;
  Value here;
  here.file = std::make_shared<const std::string>(label);
  const std::size_t equals = override_text.find('=');
  const std::string path = override_text.substr(0, equals);
  const std::vector<PathPart> parts = SplitPath(path);
  if (equals == std::string::npos || parts.empty()) {
    Fail(here, "--set", "not of the form path=value", "Write for example integrator.step=1e-4.");
  }
  if (!HasClosedBrackets(path)) {
    Fail(here, "--set", "a bracket of the path is not closed, or none was opened",
         "Write for example gravity[2]=-1.");
  }
  if (parts.size() > static_cast<std::size_t>(kMaxDepth)) {
    Fail(here, "--set", "a path of " + std::to_string(parts.size()) + " keys",
         "No scene is deeper than " + std::to_string(kMaxDepth) + ".");
  }
  const std::string text = override_text.substr(equals + 1);
  if (text.find_first_not_of(" \t\n") == std::string::npos) {
    Fail(here, "--set", "no value behind the '='", "Write for example integrator.step=1e-4.");
  }
  Value edit = ParseDocument(text + "\n", label);
  ForgetLines(edit);
  SetAt(path, std::move(edit), here, root);
}

void SetAt(const std::string& path, Value edit, const Value& here, Value& root) {
  Value* value = &root;
  std::string walked;
  for (const PathPart& part : SplitPath(path)) {
    walked += (walked.empty() ? "" : ".") + part.key;
    if (value->kind == Value::Kind::kSequence) {
      const std::size_t count = value->items.size();
      const std::size_t index = part.index && part.key.size() < 9 ? std::stoul(part.key) : count;
      if (index >= count) {
        Fail(here, walked, "the list has " + std::to_string(count) + " items",
             "Give an index from 0 to " + std::to_string(count == 0 ? 0 : count - 1) + ".");
      }
      value = &value->items[index];
      continue;
    }
    if (value->kind == Value::Kind::kScalar) {
      Fail(here, walked, "leads into the plain value '" + value->scalar.substr(0, kShownWord) + "'",
           "Shorten the path.");
    }
    if (value->kind == Value::Kind::kNull && part.index) {
      Fail(here, walked.substr(0, walked.rfind('.')), "there is no list of which to set an item",
           "Give the whole list first, for example [0, 0, 0].");
    }
    value->kind = Value::Kind::kMap;
    Value* child = value->Find(part.key);
    if (child == nullptr) {
      Value empty;
      empty.file = here.file;
      empty.line = here.line;
      value->entries.push_back({part.key, here.line, std::move(empty)});
      child = &value->entries.back().value;
    }
    value = child;
  }
  *value = std::move(edit);
}

}  // namespace intervox::host
