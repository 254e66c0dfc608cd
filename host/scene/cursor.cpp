#include "host/scene/cursor.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace intervox::host {
namespace {

std::string KindName(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kScalar: {
      const bool cut = value.scalar.size() > kShownWord;
      return "'" + value.scalar.substr(0, kShownWord) + (cut ? "…'" : "'");
    }
    case Value::Kind::kSequence:
      return "a list of " + std::to_string(value.items.size());
    case Value::Kind::kMap:
      return "a map";
  }
  return "";
}

std::string Format(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

std::string Limits(const Range& range) {
  if (range.lo == 0 && range.hi >= 1e9) {
    return range.open ? "a number above 0" : "a number of 0 or more";
  }
  return "a number from " + Format(range.lo) + (range.open ? " (excluded)" : "") + " to " +
         Format(range.hi);
}

/** What follows the limits in a sentence: the unit, or what the number means. */
std::string Meaning(const std::string& doc) {
  if (doc.empty()) return ".";
  return (doc.front() == '[' ? " " : ": ") + doc + (doc.back() == '.' ? "" : ".");
}

bool SameIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == y;
  });
}

enum class Parsed { kOk, kNoNumber, kTooLarge, kNotFinite };

Parsed ParseNumber(const Value& value, double& x) {
  if (value.kind != Value::Kind::kScalar || value.quoted) return Parsed::kNoNumber;
  std::string_view text = value.scalar;
  const std::string_view body = text.substr(text.find_first_not_of("+-") == 1 ? 1 : 0);
  for (const std::string_view word : {".nan", "nan", ".inf", "inf", "infinity"}) {
    if (SameIgnoringCase(body, word)) return Parsed::kNotFinite;
  }
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (end != text.data() + text.size() || text.empty()) return Parsed::kNoNumber;
  if (error == std::errc::result_out_of_range) return Parsed::kTooLarge;
  if (error != std::errc()) return Parsed::kNoNumber;
  return std::isfinite(x) ? Parsed::kOk : Parsed::kNotFinite;
}

/** Whether a word is a number and a unit, as in 5 mm. */
bool HasUnit(const Value& value) {
  double x = 0;
  const char* begin = value.scalar.data();
  const char* end = begin + value.scalar.size();
  const char* rest = std::from_chars(begin, end, x).ptr;
  while (rest != end && *rest == ' ') ++rest;
  return rest != begin && rest != end && std::isalpha(static_cast<unsigned char>(*rest)) != 0;
}

}  // namespace

std::string Cursor::Found() const { return KindName(*value_); }

std::string Cursor::Path() const {
  if (parent_ == nullptr) return key_;
  const std::string before = parent_->Path();
  const bool index = !key_.empty() && key_.front() == '[';
  return before + (before.empty() || index ? "" : ".") + key_;
}

void Cursor::Fail(const std::string& what, const std::string& remedy) const {
  const std::string path = Path();
  host::Fail(*value_, path.empty() ? "document" : path, what, remedy);
}

int SceneVersion(const Value& document) {
  const Value* schema = document.Find("schema");
  if (schema == nullptr) return 0;
  return schema->scalar == "intervox/scene/2" ? 2 : schema->scalar == "intervox/scene/1" ? 1 : 0;
}

Cursor Cursor::At(const std::string& key) const {
  const Value* child = value_->Find(key);
  if (child == nullptr) Fail("'" + key + "' is missing", "Add it.");
  return Cursor(*this, *child, key);
}

Cursor Cursor::Item(int i) const {
  return Cursor(*this, value_->items[static_cast<std::size_t>(i)], "[" + std::to_string(i) + "]");
}

int Cursor::Count() const {
  return static_cast<int>(value_->kind == Value::Kind::kMap ? value_->entries.size()
                                                            : value_->items.size());
}

void Cursor::ForEach(const std::function<void(const Cursor&, const std::string&)>& f) const {
  for (const Entry& entry : value_->entries) {
    f(Cursor(*this, entry.value, entry.key), entry.key);
  }
}

bool Cursor::IsNumber() const {
  double x = 0;
  return ParseNumber(*value_, x) != Parsed::kNoNumber;
}

double Cursor::Number(const Range& range, const std::string& doc) const {
  double x = 0;
  switch (ParseNumber(*value_, x)) {
    case Parsed::kNoNumber:
      Fail("expected a number, found " + KindName(*value_),
           value_->quoted     ? "Remove the quotes."
           : HasUnit(*value_) ? "Leave the unit out: values are in SI units, those of …_deg in "
                                "degrees."
                              : "Write " + Limits(range) + ".");
    case Parsed::kTooLarge:
      Fail("the number " + KindName(*value_) + " does not fit double precision",
           "Write " + Limits(range) + ".");
    case Parsed::kNotFinite:
      Fail("the number " + KindName(*value_) + " is not finite", "Write " + Limits(range) + ".");
    case Parsed::kOk:
      break;
  }
  if (x < range.lo || (range.open && x == range.lo) || x > range.hi) {
    Fail("the value " + KindName(*value_) + " is out of range",
         (x > range.hi && range.lo == 0 ? "Write a number of at most " + Format(range.hi)
                                        : "Write " + Limits(range)) +
             Meaning(doc));
  }
  return x;
}

std::string Cursor::String() const {
  if (value_->kind != Value::Kind::kScalar || value_->scalar.empty()) {
    Fail("expected a word, found " + KindName(*value_), "Write a name.");
  }
  return value_->scalar;
}

bool Cursor::Bool() const {
  if (value_->kind == Value::Kind::kScalar && !value_->quoted) {
    if (value_->scalar == "true") return true;
    if (value_->scalar == "false") return false;
  }
  Fail("expected true or false, found " + KindName(*value_), "Write true or false.");
}

std::vector<double> Cursor::Numbers(int count, const Range& range) const {
  if (value_->kind != Value::Kind::kSequence || Count() != count) {
    Fail("expected a list of " + std::to_string(count) + " numbers, found " + KindName(*value_),
         "Write " + std::to_string(count) + " numbers in brackets.");
  }
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) numbers.push_back(Item(i).Number(range));
  return numbers;
}

Vec3 Cursor::Vector(const Range& range) const {
  const std::vector<double> v = Numbers(3, range);
  return {v[0], v[1], v[2]};
}

Vec3 Cursor::NumberOrVector(const Range& range) const {
  if (value_->kind == Value::Kind::kSequence) return Vector(range);
  const double x = Number(range);
  return {x, x, x};
}

Places Cursor::GetPlaces() const {
  Places places;
  places.self = GetPlace();
  places.keys.reserve(value_->entries.size());
  for (const Entry& entry : value_->entries) {
    places.keys.emplace_back(entry.key, Place{entry.value.file, entry.value.line});
  }
  return places;
}

std::optional<double> Cursor::MaybeNumber(const std::string& key) const {
  if (!Has(key)) return std::nullopt;
  return At(key).Number();
}

double Cursor::Number(const std::string& key, double otherwise) const {
  return Has(key) ? At(key).Number() : otherwise;
}

Vec3 Cursor::Vector(const std::string& key, const Vec3& otherwise) const {
  return Has(key) ? At(key).Vector() : otherwise;
}

std::string Cursor::String(const std::string& key, const std::string& otherwise) const {
  return Has(key) ? At(key).String() : otherwise;
}

}  // namespace intervox::host
