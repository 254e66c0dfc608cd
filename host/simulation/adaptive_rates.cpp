#include "host/simulation/adaptive_rates.h"

#include <algorithm>
#include <cmath>

#include "host/simulation/contact_scales.h"

namespace intervox::host {
namespace {

/** A speed that counts where nothing moves and nothing pulls, per radius of gyration [1/s]. */
constexpr double kLeastRate = 1e-9;
/** The smallest scale of a relaxed volume, in shares of the cube of the radius of gyration. */
constexpr double kLeastVolume = 1e-12;

double Square(double x) { return x * x; }

}  // namespace

GroupRates::GroupRates(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                       StageScratch* scratch)
    : tools_(tools), group_(group), scratch_(*scratch), stage_(tools, group, substep, scratch) {
  stage_.LoadState();
  stage_.KeepLatches();
  positions_ = scratch_.x.size();
  velocities_ = scratch_.y.size();
  const std::vector<double> start = Start();
  std::vector<double> rate(start.size());
  Rate(group.time, std::span(start).first(positions_ + velocities_), rate);
  double widest = 0.0;
  for (std::size_t f = 0; f < group.free.size(); ++f) {
    const auto b = static_cast<std::size_t>(group.free[f]);
    const RigidBody& body = group.state[b];
    const double gyration = std::sqrt(0.5 * Trace(body.inertia_M) * body.inverse_mass);
    const double r = gyration > 0.0 ? gyration : 1.0;
    const double* force =
        StateLayout::Momentum(std::span<const double>(rate).subspan(positions_), f);
    const double pull = std::fmax(Norm(scratch_.loads[b].force), Norm(ReadVec3(force)));
    radius_.push_back(r);
    widest = std::fmax(widest, r);
    speed_ =
        std::max({speed_, Norm(body.v), Norm(body.w) * r, std::sqrt(pull * body.inverse_mass * r)});
    const BodySettings& settings =
        tools.world->scene.bodies[static_cast<std::size_t>(group.bodies[b])];
    if (settings.holder) holders_ = std::fmax(holders_, FrequencyBound(*settings.holder, body));
  }
  for (std::size_t b = 0; b < group.bodies.size(); ++b) {
    if (group.state[b].kind == BodyKind::kDriven) {
      speed_ = std::fmax(speed_, Norm(group.state[b].v));
    }
  }
  speed_ = std::fmax(speed_, kLeastRate * widest);
}

std::vector<double> GroupRates::Start() {
  std::vector<double> all = scratch_.x;
  all.insert(all.end(), scratch_.y.begin(), scratch_.y.end());
  all.resize(all.size() + scratch_.a.size(), 0.0);
  return all;
}

void GroupRates::Split(std::span<const double> all, StageScratch* into) const {
  const auto copy = [](std::span<const double> from, std::vector<double>* to) {
    std::copy(from.begin(), from.end(), to->begin());
  };
  copy(all.first(positions_), &into->x);
  copy(all.subspan(positions_, velocities_), &into->y);
  copy(all.subspan(positions_ + velocities_), &into->a);
}

void GroupRates::Rate(double t, std::span<const double> states, std::span<double> rate) {
  constexpr int kAnyStageButTheFirst = 1;
  const auto x = states.first(positions_);
  const auto y = states.subspan(positions_, velocities_);
  velocities_now_.assign(y.begin(), y.end());
  stage_.SolveStage(kAnyStageButTheFirst, t, 0.0, x, velocities_now_,
                    rate.subspan(positions_, velocities_), rate.subspan(positions_ + velocities_));
  stage_.PositionRate(x, y, rate.first(positions_));
  recent_ = std::max({recent_, scratch_.fastest, BristleFrequency()});
  fastest_ = std::fmax(fastest_, scratch_.fastest);
  scratch_.fastest = 0.0;
}

double GroupRates::TakeFastest() {
  const double fastest = fastest_;
  fastest_ = 0.0;
  return fastest;
}

/** The fastest frequency at which bristles vibrate with their bodies. */
double GroupRates::BristleFrequency() const {
  double square = 0.0;
  for (const StageContact* acting : scratch_.contacts) {
    const StageContact& contact = *acting;
    const double compliance =
        scratch_.bodies[static_cast<std::size_t>(contact.body_i)].inverse_mass +
        scratch_.bodies[static_cast<std::size_t>(contact.body_j)].inverse_mass;
    const double stiffness = 2.0 * contact.model->friction->Stored(contact.f_n, 1.0);
    square = std::fmax(square, stiffness * compliance);
  }
  return std::sqrt(square);
}

void GroupRates::Scales(std::span<const double> /*states*/, std::span<double> scales) {
  const double omega = std::fmax(recent_, holders_);
  recent_ = 0.0;
  const auto way = [&](double r) { return omega * r > speed_ ? speed_ / omega : r; };
  double least = HUGE_VAL;
  for (std::size_t f = 0; f < radius_.size(); ++f) {
    const RigidBody& body = group_.state[static_cast<std::size_t>(group_.free[f])];
    const double r = radius_[f], l = way(r);
    least = std::fmin(least, r);
    std::fill_n(scales.begin() + static_cast<std::ptrdiff_t>(7 * f), 3, l);
    std::fill_n(scales.begin() + static_cast<std::ptrdiff_t>(7 * f + 3), 4, 0.5 * l / r);
    const auto at = static_cast<std::ptrdiff_t>(positions_ + 6 * f);
    std::fill_n(scales.begin() + at, 3, body.mass * speed_);
    const double inertia = 1.0 / Trace(body.inverse_inertia_M);
    std::fill_n(scales.begin() + at + 3, 3, inertia * speed_ / r);
  }
  const std::span<const Contact> contacts = scratch_.patches.contacts;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const PatchGeometry& g = contacts[c].geometry;
    const double l = way(least), r = PatchRadius(g);
    double* s = scales.data() + positions_ + 6 * radius_.size() + 10 * c;
    s[0] = s[1] = s[2] = s[6] = s[7] = s[8] = l;
    s[3] = s[9] = r > 0.0 ? l / r : 1.0;
    s[4] = 1.0;
    s[5] = g.V + Norm(g.S) * l + kLeastVolume * least * Square(least);
  }
}

std::string GroupRates::NameOf(std::size_t state) const {
  const auto body = [&](std::size_t f) {
    const int b = group_.bodies[static_cast<std::size_t>(group_.free[f])];
    return "body " + tools_.world->scene.bodies[static_cast<std::size_t>(b)].name;
  };
  if (state < positions_) {
    return (state % 7 < 3 ? "the position of " : "the orientation of ") + body(state / 7);
  }
  state -= positions_;
  if (state < 6 * radius_.size()) {
    return (state % 6 < 3 ? "the momentum of " : "the angular momentum of ") + body(state / 6);
  }
  state -= 6 * radius_.size();
  const Contact& contact = group_.patches.contacts[state / 10];
  constexpr const char* kParts[] = {
      "bristle",        "bristle", "bristle", "torsional bristle", "dwell state",
      "relaxed volume", "bristle", "bristle", "bristle",           "torsional bristle"};
  const auto name = [&](int b) {
    return tools_.world->scene
        .bodies[static_cast<std::size_t>(group_.bodies[static_cast<std::size_t>(b)])]
        .name;
  };
  return std::string("the ") + kParts[state % 10] + " of the contact of " + name(contact.body_i) +
         " and " + name(contact.body_j);
}

}  // namespace intervox::host
