/** @file A place in a document: a value with the path that leads to it. */
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/linear.h"
#include "host/input/place.h"
#include "host/scene/document.h"
#include "host/scene/keys.h"

namespace intervox::host {

/** A value of a document and its path. Refers to its parent, which must outlive it.

 The readers of plain values assume a document that Validate has passed; they throw InputError all
 the same when the value does not fit. */
class Cursor {
 public:
  /** The root of a document. */
  explicit Cursor(const Value& root) : value_(&root) {}
  /** The child of a key, or item. */
  Cursor(const Cursor& parent, const Value& value, std::string key)
      : value_(&value), parent_(&parent), key_(std::move(key)) {}

  /** The value. */
  const Value& value() const { return *value_; }
  /** The root of its document. */
  const Value& Root() const { return parent_ != nullptr ? parent_->Root() : *value_; }
  /** The path, for example `shapes.ball.sphere.radius`. */
  std::string Path() const;
  /** Where it stands. */
  Place GetPlace() const { return {value_->file, value_->line}; }
  /** Where it and its keys stand. */
  Places GetPlaces() const;
  /** The value in a few words, for messages: "nothing", "'word'", "a list of 3", "a map". */
  std::string Found() const;
  /** Throws InputError "FILE:LINE: PATH: what. remedy", or without the remedy where `what` ends
   with one. */
  [[noreturn]] void Fail(const std::string& what, const std::string& remedy) const;

  /** Whether a key stands here. */
  bool Has(std::string_view key) const { return value_->Find(key) != nullptr; }
  /** The child of a key. @throws InputError when it is missing. */
  Cursor At(const std::string& key) const;
  /** Item i of a list. */
  Cursor Item(int i) const;
  /** Items of a list, or keys of a map. */
  int Count() const;
  /** Calls f(cursor, key) for each entry of a map, in the file's order. */
  void ForEach(const std::function<void(const Cursor&, const std::string&)>& f) const;

  /** A finite number within the range; fails with the limits otherwise, and with `doc`, what the
   number means in which unit. */
  double Number(const Range& range = kChecked, const std::string& doc = "") const;
  /** Whether it is a plain scalar that reads as a number. */
  bool IsNumber() const;
  /** A word. */
  std::string String() const;
  /** true or false. */
  bool Bool() const;
  /** `count` numbers. */
  std::vector<double> Numbers(int count, const Range& range = kChecked) const;
  /** [x, y, z]. */
  Vec3 Vector(const Range& range = kChecked) const;
  /** [x, y, z], or one number for all three. */
  Vec3 NumberOrVector(const Range& range = kChecked) const;

  /** The number of a key, or nothing. */
  std::optional<double> MaybeNumber(const std::string& key) const;
  /** The value of a key, or a default. */
  double Number(const std::string& key, double otherwise) const;
  /** The value of a key, or a default. */
  Vec3 Vector(const std::string& key, const Vec3& otherwise) const;
  /** The value of a key, or a default. */
  std::string String(const std::string& key, const std::string& otherwise) const;

 private:
  const Value* value_;
  const Cursor* parent_ = nullptr;
  std::string key_;
};

/** The version in `schema: intervox/scene/VERSION` of a document; 0 where it is no scene. */
int SceneVersion(const Value& document);

/** Checks a value against an object of the table of keys, all the way down: kinds, ranges, unknown
 and missing keys, alternatives. @throws InputError for the first fault in the file's order. */
void Validate(const Cursor& cursor, const Object& object);

}  // namespace intervox::host
