#include "host/cli/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "host/input/error.h"

namespace intervox::cli {

using host::InputError;

void RefuseOption(const std::string& option, const std::string& what, const std::string& value,
                  const std::string& remedy) {
  throw InputError("command line: " + option + ": " + what + " (" + value + "). " + remedy);
}

double NumberOf(const std::string& option, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value)) {
    RefuseOption(option, "not a number", text, "Write a finite number such as 0.2.");
  }
  return value;
}

std::vector<double> NumbersOf(const std::string& option, const std::string& text) {
  std::vector<double> values;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(NumberOf(option, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return values;
}

std::pair<std::string, std::string> SplitOption(const std::string& option, const std::string& text,
                                                char at, const std::string& form) {
  const std::size_t place = text.find(at);
  if (place == std::string::npos || place == 0) {
    RefuseOption(option, "not of the form " + form, text, "For help: intervox render --help.");
  }
  return {text.substr(0, place), text.substr(place + 1)};
}

std::set<int> ChooseSamples(const host::Film& film, const std::string& frames) {
  std::set<int> samples;
  if (frames == "all") {
    for (int k = 0; k < film.Samples(); ++k) samples.insert(k);
    return samples;
  }
  if (frames == "last") return {film.Samples() - 1};
  const auto [key, value] =
      SplitOption("--frames", frames, '=', "every=SECONDS, at=T,T,…, count=N, all or last");
  const double end = film.Time(film.Samples() - 1);
  if (key == "every") {
    const double step = NumberOf("--frames", value);
    if (!(step > 0) || end / step > 1e5) {
      RefuseOption("--frames", "step out of range", value, "Give a positive time in seconds.");
    }
    for (int k = 0; k * step <= end + 1e-9 * step; ++k) samples.insert(film.SampleAt(k * step));
  } else if (key == "at") {
    const double slack = end / std::max(1, film.Samples() - 1);
    for (const double t : NumbersOf("--frames", value)) {
      if (!(t >= -slack && t <= end + slack)) {
        RefuseOption("--frames", "time outside of the results", fmt::format("{:g}", t),
                     fmt::format("Give times from 0 to {:g} s.", end));
      }
      samples.insert(film.SampleAt(t));
    }
  } else if (key == "count") {
    const double count = NumberOf("--frames", value);
    if (!(count >= 1 && count <= 1e5)) {
      RefuseOption("--frames", "count out of range", value, "Give 1 to 100000 frames.");
    }
    const double step = end / std::max(1.0, std::floor(count) - 1);
    for (int k = 0; k < count; ++k) samples.insert(film.SampleAt(k * step));
  } else {
    RefuseOption("--frames", "unknown word", key,
                 "Known: every=SECONDS, at=T,T,…, count=N, all, last.");
  }
  return samples;
}

}  // namespace intervox::cli
