/** @file What sampled values are drawn from. */
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "host/batch/random.h"
#include "host/scene/cursor.h"

namespace intervox::host {

/** Uniform between two numbers; of the logarithm, where `logarithmic`. */
struct UniformDistribution {
  double lo = 0.0;
  double hi = 1.0;
  bool logarithmic = false;
};

/** Normal; drawn again until it lies in [lo, hi]. */
struct NormalDistribution {
  double mean = 0.0;
  double sigma = 1.0;
  double lo = -1e300;
  double hi = 1e300;
};

/** One of some values, all as likely; a constant has one. */
struct ChoiceDistribution {
  std::vector<Value> values;
};

/** The value of another sampled path. */
struct SameDistribution {
  std::string path;
};

/** A distribution. */
using Distribution =
    std::variant<UniformDistribution, NormalDistribution, ChoiceDistribution, SameDistribution>;

/** Reads a validated entry of `sample`. @throws InputError for a distribution that cannot be. */
Distribution ReadDistribution(const Cursor& cursor);

/** Whether all of its values are numbers; not to be asked of SameDistribution. */
bool IsNumeric(const Distribution& distribution);

/** Draws a value, with the place of `at`; not for SameDistribution. */
Value Draw(const Distribution& distribution, const Stream& stream, const Value& at);

/** Values that stand for all: the ends of a range, the mean, every choice. Never empty, but for
 SameDistribution. */
std::vector<Value> Corners(const Distribution& distribution, const Value& at);

/** A value as YAML on one line. */
std::string FlowText(const Value& value);

}  // namespace intervox::host
