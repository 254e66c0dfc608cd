/** @file How far long work is, for whoever waits for it. */
#pragma once

#include <functional>
#include <utility>

namespace intervox::host {

/** Hears the fraction of some work that is done, in [0, 1], as often as it changes; may be empty.
 */
using Told = std::function<void(double fraction)>;

/** What hears of a part of some work, which is from `begin` to `end` of the whole. */
inline Told PartOf(Told whole, double begin, double end) {
  if (!whole) return {};
  return [whole = std::move(whole), begin, end](double fraction) {
    whole(begin + (end - begin) * fraction);
  };
}

/** Tells the fraction, where somebody hears it. */
inline void Tell(const Told& told, double fraction) {
  if (told) told(fraction);
}

}  // namespace intervox::host
