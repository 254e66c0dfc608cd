#include "host/contact/restitution.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace intervox::host {
namespace {

constexpr double kLeast = 0.01, kFastest = 1e6;
/// Between two speeds of a table [m/s]: closer ones have slopes beyond all numbers.
constexpr double kApart = 1e-12;
constexpr const char* kKey = "restitution";
constexpr const char* kRange = "Use 0.01 for a dead impact, 1 for an elastic one.";

/** Refuses what the form of a law that `form` begins does not take. */
void RefuseOthers(const Parameters& p, const ParameterGroup& group, const std::string& form,
                  const std::set<std::string>& takes) {
  const auto refuse = [&](const std::string& key) {
    if (takes.contains(key)) return;
    std::string others;
    for (const std::string& other : takes) {
      if (other != form) others += (others.empty() ? "" : ", ") + other;
    }
    p.Fail(std::string(kKey) + "." + key,
           "stands beside " + form + ", which goes with " + others + ". Remove one of them.");
  };
  for (const auto& [key, value] : group.numbers) refuse(key);
  for (const auto& [key, value] : group.lists) refuse(key);
}

double NumberOf(Parameters& p, const ParameterGroup& group, const std::string& key, double fallback,
                double low, double high, const std::string& remedy) {
  // The group as settings of a part of its own, so that messages are those of other numbers.
  const ModelSettings settings{p.model(), group.numbers, {}};
  Parameters inner("normal." + std::string(kKey), settings, p.material_i(), p.material_j());
  return inner.InRange(key, fallback, low, high, remedy);
}

/** The slope of a table's end, by the parabola through three points, cut where it would overshoot.
 @param h, d  width and slope of the first interval; @param h_2, d_2  of the second */
double EndSlope(double h, double d, double h_2, double d_2) {
  const double slope = ((2.0 * h + h_2) * d - h * d_2) / (h + h_2);
  if (!(slope * d > 0.0)) return 0.0;
  return d * d_2 < 0.0 && std::fabs(slope) > 3.0 * std::fabs(d) ? 3.0 * d : slope;
}

}  // namespace

bool Restitution::IsGiven(const Parameters& p) { return p.Has(kKey) || p.Has("restitution_slope"); }

Restitution::Restitution(Parameters& p, double fallback) {
  const double slope =
      p.InRange("restitution_slope", 0.0, 0.0, kFastest, "Give 0 for a constant e [s/m].");
  const ParameterGroup* group = p.Group(kKey);
  if (group == nullptr) {
    if (slope > 0.0) {
      if (p.InRange(kKey, 1.0, kLeast, 1.0, kRange) != 1.0) {
        p.Warn(kKey, NumberText(p.Get(kKey, 1.0)) +
                         " is not used: restitution_slope makes e = 1 - slope v. Remove one of "
                         "them.");
      }
      form_ = Form::kLoss;
      loss_ = slope;
      return;
    }
    const bool dissipates = p.material_i().dissipation || p.material_j().dissipation;
    e_ = p.InRange(kKey, fallback, kLeast, 1.0,
                   std::string(kRange) +
                       (dissipates ? " The dissipation of materials is for hunt_crossley and "
                                     "marhefka_orin."
                                   : ""));
    return;
  }
  if (p.Has("restitution_slope")) {
    p.Fail("restitution_slope", "stands beside restitution, which is a map. Remove one of them.");
  }
  const auto number = [&](const std::string& key, double otherwise, double low, double high,
                          const std::string& remedy) {
    return NumberOf(p, *group, key, otherwise, low, high, remedy);
  };
  if (group->lists.contains("speeds") || group->lists.contains("values")) {
    form_ = Form::kTable;
    RefuseOthers(p, *group, "speeds", {"speeds", "values"});
    ReadTable(p, *group);
  } else if (group->numbers.contains("loss")) {
    form_ = Form::kLoss;
    RefuseOthers(p, *group, "loss", {"loss", "exponent"});
    loss_ = number("loss", 0.0, 0.0, kFastest, "Give the a of e = 1 - a v^exponent.");
    power_ = number("exponent", 1.0, 0.01, 100.0, "Give 1 for e = 1 - a v, 0.2 for a soft ball.");
  } else {
    form_ = Form::kPower;
    RefuseOthers(p, *group, "speed", {"speed", "value", "power", "most"});
    speed_ = number("speed", 0.0, 1e-12, kFastest,
                    "Give the v0 of e = value (v0/v)^power in m/s, or a table of speeds and "
                    "values, or loss.");
    e_ = number("value", 1.0, kLeast, 1.0, "Give the e at v0.");
    power_ =
        number("power", 0.25, 0.0, 100.0, "Give 0.25 for metals that yield, 0 for a constant.");
    most_ = number("most", 1.0, kLeast, 1.0, "Give the e of slow impacts.");
  }
}

void Restitution::ReadTable(const Parameters& p, const ParameterGroup& group) {
  const std::string head = std::string(kKey) + ".";
  const auto list = [&](const std::string& key, double low, double high, const std::string& what) {
    const auto found = group.lists.find(key);
    if (found == group.lists.end()) {
      p.Fail(head + key, "is missing. Give one number for each of the " +
                             std::string(key == "values" ? "speeds." : "values."));
    }
    for (std::size_t k = 0; k < found->second.size(); ++k) {
      const double value = found->second[k];
      if (value >= low && value <= high) continue;
      p.Fail(head + key + "[" + std::to_string(k) + "]",
             NumberText(value) + " is " +
                 (value < low    ? "below " + NumberText(low)
                  : value > high ? "above " + NumberText(high)
                                 : "not a number") +
                 " (allowed: " + NumberText(low) + " to " + NumberText(high) + "). " + what);
    }
    return found->second;
  };
  speeds_ = list("speeds", 0.0, kFastest, "Give approach speeds in m/s.");
  e_s_ = list("values", kLeast, 1.0, kRange);
  const std::size_t n = speeds_.size();
  if (e_s_.size() != n) {
    p.Fail(head + "values", std::to_string(e_s_.size()) + " numbers for " + std::to_string(n) +
                                " speeds. Give one e for each speed.");
  }
  if (n < 2) {
    p.Fail(head + "speeds",
           "a table has two speeds or more. Give more, or one number as restitution.");
  }
  for (std::size_t k = 1; k < n; ++k) {
    if (speeds_[k] - speeds_[k - 1] >= kApart) continue;
    p.Fail(head + "speeds[" + std::to_string(k) + "]",
           NumberText(speeds_[k]) + " is not above the speed before it, " +
               NumberText(speeds_[k - 1]) + ", by 1e-12 m/s or more. Sort the table by speed.");
  }
  const auto width = [&](std::size_t k) { return speeds_[k + 1] - speeds_[k]; };
  const auto rise = [&](std::size_t k) { return (e_s_[k + 1] - e_s_[k]) / width(k); };
  if (n == 2) {
    slopes_.assign(2, rise(0));
    return;
  }
  slopes_.assign(n, 0.0);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double before = rise(k - 1), after = rise(k);
    if (!(before * after > 0.0)) continue;
    const double w = 2.0 * width(k) + width(k - 1), w_2 = width(k) + 2.0 * width(k - 1);
    slopes_[k] = (w + w_2) / (w / before + w_2 / after);
  }
  slopes_[0] = EndSlope(width(0), rise(0), width(1), rise(1));
  slopes_[n - 1] = EndSlope(width(n - 2), rise(n - 2), width(n - 3), rise(n - 3));
}

double Restitution::InTable(double v) const {
  if (v <= speeds_.front()) return e_s_.front();
  if (v >= speeds_.back()) return e_s_.back();
  const auto above = std::upper_bound(speeds_.begin(), speeds_.end(), v);
  const auto k = static_cast<std::size_t>(above - speeds_.begin()) - 1;
  const double h = speeds_[k + 1] - speeds_[k], x = (v - speeds_[k]) / h;
  const double rise = e_s_[k + 1] - e_s_[k], m_0 = h * slopes_[k], m_1 = h * slopes_[k + 1];
  return e_s_[k] + x * (m_0 + x * (3.0 * rise - 2.0 * m_0 - m_1 + x * (m_0 + m_1 - 2.0 * rise)));
}

double Restitution::At(double v) const {
  double e = e_;
  switch (form_) {
    case Form::kConstant:
      return e_;
    case Form::kTable:
      e = InTable(v);
      break;
    case Form::kPower:
      e = v > 0.0 ? std::min(most_, e_ * std::pow(speed_ / v, power_)) : most_;
      break;
    case Form::kLoss:
      e = 1.0 - loss_ * (power_ == 1.0 ? v : std::pow(v, power_));
      break;
  }
  return std::clamp(e, kLeast, 1.0);
}

void RefuseRestitution(const Parameters& p) {
  if (!Restitution::IsGiven(p)) return;
  p.Fail(p.Has(kKey) ? kKey : "restitution_slope",
         "the model \"" + p.model() +
             "\" has a constant damping, from which e follows. Give damping instead, or use "
             "gonthier, which returns the e that it is given.");
}

}  // namespace intervox::host
