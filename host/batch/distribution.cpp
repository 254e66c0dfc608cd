#include "host/batch/distribution.h"

#include <algorithm>
#include <cmath>

#include "host/scene/text.h"

namespace intervox::host {
namespace {

/** Least share of a normal distribution that a range may hold: draws outside are thrown away. */
constexpr double kLeastShare = 1e-3;

Value NumberAt(double x, const Value& at) {
  Value value;
  value.kind = Value::Kind::kScalar;
  value.file = at.file;
  value.line = at.line;
  value.scalar = Text(x);
  return value;
}

void RequireRange(const Cursor& cursor, double lo, double hi) {
  if (lo < hi) return;
  cursor.Fail("the range [" + Text(lo) + ", " + Text(hi) + "] holds nothing",
              lo == hi ? "Write constant: " + Text(lo) + " for a value that does not vary."
                       : "Write the smaller number first.");
}

NormalDistribution ReadNormal(const Cursor& cursor) {
  NormalDistribution normal;
  normal.mean = cursor.Number("mean", normal.mean);
  normal.sigma = cursor.At("sigma").Number();
  if (!cursor.Has("range")) return normal;
  const Cursor range = cursor.At("range");
  const std::vector<double> ends = range.Numbers(2);
  normal.lo = ends[0];
  normal.hi = ends[1];
  RequireRange(range, normal.lo, normal.hi);
  const auto below = [&](double x) {
    return 0.5 * std::erfc((normal.mean - x) / (normal.sigma * std::sqrt(2.0)));
  };
  const double share = below(normal.hi) - below(normal.lo);
  if (share < kLeastShare) {
    range.Fail(
        "it holds less than a thousandth of the normal distribution around " + Text(normal.mean),
        "Move the range or the mean, or write uniform.");
  }
  return normal;
}

}  // namespace

Distribution ReadDistribution(const Cursor& cursor) {
  if (cursor.Has("normal")) return ReadNormal(cursor.At("normal"));
  if (cursor.Has("truncated_normal")) return ReadNormal(cursor.At("truncated_normal"));
  if (cursor.Has("same")) return SameDistribution{cursor.At("same").String()};
  if (cursor.Has("constant")) return ChoiceDistribution{{cursor.At("constant").value()}};
  if (cursor.Has("choice")) return ChoiceDistribution{cursor.At("choice").value().items};
  const bool logarithmic = cursor.Has("log_uniform");
  const Cursor range = cursor.At(logarithmic ? "log_uniform" : "uniform");
  const std::vector<double> ends = range.Numbers(2);
  RequireRange(range, ends[0], ends[1]);
  return UniformDistribution{ends[0], ends[1], logarithmic};
}

bool IsNumeric(const Distribution& distribution) {
  const auto* choice = std::get_if<ChoiceDistribution>(&distribution);
  if (choice == nullptr) return true;
  return std::all_of(choice->values.begin(), choice->values.end(),
                     [](const Value& value) { return Cursor(value).IsNumber(); });
}

Value Draw(const Distribution& distribution, const Stream& stream, const Value& at) {
  if (const auto* uniform = std::get_if<UniformDistribution>(&distribution)) {
    const double u = UniformDraw(stream, 0);
    if (!uniform->logarithmic) return NumberAt(std::lerp(uniform->lo, uniform->hi, u), at);
    const double x = std::exp(std::lerp(std::log(uniform->lo), std::log(uniform->hi), u));
    return NumberAt(std::clamp(x, uniform->lo, uniform->hi), at);
  }
  if (const auto* normal = std::get_if<NormalDistribution>(&distribution)) {
    for (std::uint64_t k = 0;; ++k) {  // ends: the range holds a fair share of the draws
      const double x = normal->mean + normal->sigma * NormalDraw(stream, k);
      if (x >= normal->lo && x <= normal->hi) return NumberAt(x, at);
    }
  }
  const std::vector<Value>& values = std::get<ChoiceDistribution>(distribution).values;
  const auto count = static_cast<double>(values.size());
  const auto index = static_cast<std::size_t>(UniformDraw(stream, 0) * count);
  return values[std::min(index, values.size() - 1)];
}

std::vector<Value> Corners(const Distribution& distribution, const Value& at) {
  if (const auto* uniform = std::get_if<UniformDistribution>(&distribution)) {
    return {NumberAt(uniform->lo, at), NumberAt(uniform->hi, at)};
  }
  if (const auto* normal = std::get_if<NormalDistribution>(&distribution)) {
    return {NumberAt(std::clamp(normal->mean, normal->lo, normal->hi), at)};
  }
  const auto* choice = std::get_if<ChoiceDistribution>(&distribution);
  return choice != nullptr ? choice->values : std::vector<Value>{};
}

std::string FlowText(const Value& value) {
  std::string text;
  switch (value.kind) {
    case Value::Kind::kNull:
      return "null";
    case Value::Kind::kScalar:
      return value.quoted ? Quoted(value.scalar) : value.scalar;
    case Value::Kind::kSequence:
      for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + FlowText(item);
      return "[" + text + "]";
    case Value::Kind::kMap:
      for (const Entry& entry : value.entries) {
        text += (text.empty() ? "" : ", ") + Quoted(entry.key) + ": " + FlowText(entry.value);
      }
      return "{" + text + "}";
  }
  return text;
}

}  // namespace intervox::host
