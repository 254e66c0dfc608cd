/** @file A YAML file as a tree of values that know their file and line. */
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/input/bytes.h"
#include "host/input/error.h"

namespace intervox::host {

struct Entry;

/** One node of a YAML document. Aliases are expanded; keys of a map are distinct. */
struct Value {
  /** The kinds of node. */
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  bool quoted = false;                      ///< a scalar in quotes is never a number
  int line = 0;                             ///< one-based; 0 where there is none
  std::shared_ptr<const std::string> file;  ///< name for messages
  std::string scalar;
  std::vector<Value> items;    ///< of a sequence
  std::vector<Entry> entries;  ///< of a map, in the file's order

  /** The value of a key of a map, or nullptr. */
  const Value* Find(std::string_view key) const;
  /** The value of a key of a map, or nullptr. */
  Value* Find(std::string_view key);
};

/** One key of a map with its value. */
struct Entry {
  std::string key;
  int line = 0;
  Value value;
};

/** Deepest nesting of a document. */
inline constexpr int kMaxDepth = 64;
/** Most keys of one map. */
inline constexpr std::size_t kMaxKeys = 1'000'000;
/** Most nodes of a document. */
inline constexpr int kMaxNodes = 1 << 25;
/** Most nodes that aliases expand to: a few lines of them can stand for any number. */
inline constexpr int kMaxAliased = 1 << 20;
/** What messages call the file `-`. */
inline constexpr const char* kStandardInput = "standard input";
/** Bytes of a word that a message shows. */
inline constexpr std::size_t kShownWord = 40;

/** Parses one YAML document.
 @param file  its name in messages.
 @throws InputError for malformed YAML, duplicate keys, more than one document, too deep nesting. */
Value ParseDocument(const std::string& text, const std::string& file);

/** The bytes of a file. @throws InputError when it is missing, no regular file, unreadable or
 larger than kMaxBytes. */
std::string ReadTextFile(const std::filesystem::path& path);

/** The bytes of standard input, which messages call kStandardInput. @throws InputError likewise. */
std::string ReadStandardInput();

/** Applies one edit `path=value`, for example `bodies.box.pose.position[2]=0.1`. Keys are separated
 by dots, list items named by their index; the value is YAML. Missing keys are created.
 @throws InputError when the path does not lead anywhere. */
void ApplyOverride(const std::string& override_text, Value& root);

/** Puts a value at a path such as `bodies.box.pose.position[2]`. Missing keys are created.
 @param here  where a message says that the path leads nowhere */
void SetAt(const std::string& path, Value edit, const Value& here, Value& root);

/** Throws InputError "FILE:LINE: KEY: what. remedy"; an empty remedy stands in `what` already. */
[[noreturn]] void Fail(const Value& value, const std::string& key, const std::string& what,
                       const std::string& remedy);

}  // namespace intervox::host
