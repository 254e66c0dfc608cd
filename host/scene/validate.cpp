#include "host/scene/validate_all.h"

#include <algorithm>

#include "host/input/nearest.h"

namespace intervox::host {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void ValidateShape(const Cursor& cursor) {
  if (cursor.value().kind == Value::Kind::kScalar) {
    cursor.String();
    return;
  }
  Validate(cursor, ObjectNamed("shape"));
}

void RequireList(const Cursor& cursor, int least, const std::string& what) {
  if (cursor.value().kind != Value::Kind::kSequence) {
    cursor.Fail("expected a list of " + what + ", found " + cursor.Found(),
                "Write the items in brackets or after dashes.");
  }
  if (cursor.Count() < least) {
    cursor.Fail(
        "expected at least " + std::to_string(least) + " " + what + ", found " + cursor.Found(),
        "Add what is missing.");
  }
}

void RequireMap(const Cursor& cursor, const std::string& what) {
  if (cursor.value().kind == Value::Kind::kNull) return;
  if (cursor.value().kind != Value::Kind::kMap) {
    cursor.Fail("expected a map of " + what + ", found " + cursor.Found(),
                "Write name: value lines, indented.");
  }
}

void ValidateInertia(const Cursor& cursor) {
  RequireList(cursor, 3, "numbers or rows");
  if (cursor.Item(0).value().kind == Value::Kind::kSequence) {
    if (cursor.Count() != 3) cursor.Fail("a matrix of 3 rows is expected", "Write three rows.");
    for (int i = 0; i < 3; ++i) cursor.Item(i).Vector();
  } else {
    cursor.Vector(kPositive);
  }
}

/** Calls f; its fault is kept where there are others to be told of with it. */
template <class F>
void Attempt(Faults* faults, const F& f) {
  if (faults == nullptr) return f();
  faults->Try(f);
}

/** @param faults  gathers those of a list's items and of a map's entries; null: the first throws */
void ValidateValue(const Cursor& cursor, const Key& key, Faults* faults) {
  switch (key.type) {
    case Type::kNumber:
      cursor.Number(key.range, key.doc);
      break;
    case Type::kVector:
      cursor.Vector(key.range);
      break;
    case Type::kNumberOrVector:
      cursor.NumberOrVector(key.range);
      break;
    case Type::kNumberOrObject:
      if (cursor.value().kind != Value::Kind::kMap) {
        cursor.Number(key.range, key.doc);
      } else {
        Validate(cursor, ObjectNamed(key.of));
      }
      break;
    case Type::kNumbers:
      cursor.Numbers(key.count, key.range);
      break;
    case Type::kNumberList:
      RequireList(cursor, key.count, "numbers");
      for (int i = 0; i < cursor.Count(); ++i) cursor.Item(i).Number(key.range, key.doc);
      break;
    case Type::kInertia:
      ValidateInertia(cursor);
      break;
    case Type::kPoints:
      RequireList(cursor, key.count, "points [x, y, z]");
      for (int i = 0; i < cursor.Count(); ++i) cursor.Item(i).Vector(key.range);
      break;
    case Type::kBool:
      cursor.Bool();
      break;
    case Type::kString:
      cursor.String();
      break;
    case Type::kStrings:
      RequireList(cursor, key.count, "words");
      for (int i = 0; i < cursor.Count(); ++i) cursor.Item(i).String();
      break;
    case Type::kChoice: {
      if (cursor.value().kind != Value::Kind::kScalar) {
        cursor.Fail("expected one word, found " + cursor.Found(),
                    "Write one of: " + Joined(Choices(key.of)) + ".");
      }
      const std::string word = cursor.String();
      const std::vector<std::string> choices = Choices(key.of);
      if (std::find(choices.begin(), choices.end(), word) == choices.end()) {
        cursor.Fail("'" + word + "' is unknown here", Suggest(word, choices));
      }
      break;
    }
    case Type::kObject:
      Validate(cursor, ObjectNamed(key.of));
      break;
    case Type::kObjects:
      RequireList(cursor, key.count, "maps");
      for (int i = 0; i < cursor.Count(); ++i) {
        Attempt(faults, [&] { Validate(cursor.Item(i), ObjectNamed(key.of)); });
      }
      break;
    case Type::kNamed:
      RequireMap(cursor, "named entries");
      cursor.ForEach([&](const Cursor& child, const std::string&) {
        Attempt(faults, [&] { Validate(child, ObjectNamed(key.of)); });
      });
      break;
    case Type::kShape:
      ValidateShape(cursor);
      break;
    case Type::kShapes:
      RequireList(cursor, key.count, "shapes");
      for (int i = 0; i < cursor.Count(); ++i) ValidateShape(cursor.Item(i));
      break;
    case Type::kShapesMap:
      RequireMap(cursor, "named shapes");
      cursor.ForEach([&](const Cursor& child, const std::string& name) {
        if (name != "include") return Attempt(faults, [&] { ValidateShape(child); });
        RequireList(child, 0, "file names");
        for (int i = 0; i < child.Count(); ++i) child.Item(i).String();
      });
      break;
    case Type::kWords:
      RequireMap(cursor, "names and words");
      cursor.ForEach([](const Cursor& child, const std::string&) { child.String(); });
      break;
    case Type::kValue:
      break;
    case Type::kValues:
      RequireList(cursor, key.count, "values");
      break;
    case Type::kParameter:
      if (!cursor.IsNumber()) cursor.String();
      break;
  }
}

void CheckAlternatives(const Cursor& cursor, const std::vector<std::string>& group, bool required) {
  std::string first;
  for (const Entry& entry : cursor.value().entries) {
    if (std::find(group.begin(), group.end(), entry.key) == group.end()) continue;
    if (!first.empty()) {
      Cursor(cursor, entry.value, entry.key)
          .Fail("stands beside '" + first + "', but only one of " + Joined(group) + " may",
                "Remove one of them.");
    }
    first = entry.key;
  }
  if (required && first.empty()) {
    cursor.Fail("none of " + Joined(group) + " is given", "Give exactly one of them.");
  }
}

/** What to do about a key that an object does not know: who knows it, or what is spelt alike. */
std::string RemedyOf(const std::string& key, const Object& object) {
  constexpr std::size_t kNamed = 4;
  const std::vector<std::string> known = KeyNames(object);
  std::vector<std::string> owners;
  for (const Object& other : Objects()) {
    const std::vector<std::string> names = KeyNames(other);
    if (std::find(names.begin(), names.end(), key) != names.end()) owners.push_back(other.name);
  }
  const bool misspelt = !known.empty() && EditDistance(key, Nearest(key, known)) <= 1;
  if (owners.empty() || owners.size() > kNamed || misspelt) return Suggest(key, known);
  return "It is a key of " + Joined(owners) + ". Known here: " + Joined(known) + ".";
}

/** @param faults  gathers one of each key; null: the first throws */
void ValidateKeys(const Cursor& cursor, const Object& object, Faults* faults) {
  RequireMap(cursor, "the keys of " + object.name);
  for (const Entry& entry : cursor.value().entries) {
    const auto key = std::find_if(object.keys.begin(), object.keys.end(),
                                  [&](const Key& k) { return k.name == entry.key; });
    const Cursor child(cursor, entry.value, entry.key);
    if (key != object.keys.end()) {
      Attempt(faults, [&] { ValidateValue(child, *key, faults); });
      continue;
    }
    if (object.open) {
      ValidateValue(child, {entry.key, Type::kParameter, kAny, "", false, 0, ""}, nullptr);
      continue;
    }
    Value at_key = entry.value;
    if (entry.line > 0) at_key.line = entry.line;
    Attempt(faults, [&] {
      Fail(at_key, child.Path(), "unknown key '" + entry.key + "'", RemedyOf(entry.key, object));
    });
  }
  for (const Key& key : object.keys) {
    if (key.required && !cursor.Has(key.name)) {
      cursor.Fail("the key '" + key.name + "' is missing", "Add '" + key.name + "': " + key.doc);
    }
  }
  if (!object.exactly_one.empty()) CheckAlternatives(cursor, object.exactly_one, true);
  if (!object.at_most_one.empty()) CheckAlternatives(cursor, object.at_most_one, false);
}

}  // namespace

void Validate(const Cursor& cursor, const Object& object) { ValidateKeys(cursor, object, nullptr); }

void ValidateAll(const Cursor& root, const Object& object, Faults* faults) {
  faults->Try([&] { ValidateKeys(root, object, faults); });
}

}  // namespace intervox::host
