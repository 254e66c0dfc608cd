/** @file Suggestions for misspelt words. */
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace intervox::host {

/** Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`; case is ignored. */
int EditDistance(std::string_view a, std::string_view b);

/** The candidate with the fewest edits from `word`, the first of equals; empty when there is no
 candidate. */
std::string Nearest(std::string_view word, std::span<const std::string> candidates);

/** "Did you mean 'x'?" when one candidate is near enough, else "Known: a, b, c." */
std::string Suggest(std::string_view word, std::span<const std::string> candidates);

/** The keys of a map, for Suggest. */
template <class T>
std::vector<std::string> Names(const std::map<std::string, T>& map) {
  std::vector<std::string> names;
  names.reserve(map.size());
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace intervox::host
