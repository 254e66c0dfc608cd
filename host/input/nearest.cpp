#include "host/input/nearest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace intervox::host {
namespace {

/** Longer words are cut: nobody misspells by more, and the cost stays bounded. */
constexpr std::size_t kMaxLength = 64;

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

int EditDistance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMaxLength);
  b = b.substr(0, kMaxLength);
  const std::size_t n = b.size();
  std::vector<int> before(n + 1), previous(n + 1), current(n + 1);
  for (std::size_t j = 0; j <= n; ++j) previous[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + static_cast<int>(!same)});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
          Lower(a[i - 2]) == Lower(b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[n];
}

std::string Nearest(std::string_view word, std::span<const std::string> candidates) {
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [&](const std::string& x, const std::string& y) {
                                       return EditDistance(word, x) < EditDistance(word, y);
                                     });
  return best == candidates.end() ? std::string() : *best;
}

std::string Suggest(std::string_view word, std::span<const std::string> candidates) {
  if (candidates.empty()) return "Nothing is known here.";
  const std::string nearest = Nearest(word, candidates);
  const int limit = std::max<int>(2, static_cast<int>(nearest.size()) / 2);
  if (EditDistance(word, nearest) <= limit) return "Did you mean '" + nearest + "'?";
  constexpr std::size_t kListed = 12;
  std::string known = "Nearest is '" + nearest + "'. Known: ";
  for (std::size_t i = 0; i < std::min(kListed, candidates.size()); ++i) {
    known += (i == 0 ? "" : ", ") + candidates[i];
  }
  return known + (candidates.size() > kListed ? ", …." : ".");
}

}  // namespace intervox::host
