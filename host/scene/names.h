/** @file The words of each enum of a scene: one table for reading, writing, keys and help. */
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/scene/lattice.h"
#include "host/scene/scene.h"

namespace intervox::host {

/** A value of an enum and its word in files. */
template <class E>
struct Named {
  const char* word;
  E value;
};

/** The words of an enum, in the order in which help lists them. */
std::span<const Named<LeafRule>> NamesOf(LeafRule);
/** @copydoc NamesOf */
std::span<const Named<NormalDirection>> NamesOf(NormalDirection);
/** @copydoc NamesOf */
std::span<const Named<ContactCells>> NamesOf(ContactCells);
/** @copydoc NamesOf */
std::span<const Named<ContactGeometry>> NamesOf(ContactGeometry);
/** @copydoc NamesOf */
std::span<const Named<JointType>> NamesOf(JointType);
/** @copydoc NamesOf */
std::span<const Named<LatticeKind>> NamesOf(LatticeKind);
/** @copydoc NamesOf */
std::span<const Named<Status>> NamesOf(Status);

/** The word of a value; empty for a value that has none. */
template <class E>
std::string WordOf(E value) {
  for (const Named<E>& named : NamesOf(E{})) {
    if (named.value == value) return named.word;
  }
  return "";
}

/** The value of a word, or nothing where there is no such word. */
template <class E>
std::optional<E> ValueOf(std::string_view word) {
  for (const Named<E>& named : NamesOf(E{})) {
    if (named.word == word) return named.value;
  }
  return std::nullopt;
}

/** All words of an enum. */
template <class E>
std::vector<std::string> WordsOf() {
  std::vector<std::string> words;
  for (const Named<E>& named : NamesOf(E{})) words.emplace_back(named.word);
  return words;
}

/** The words as the table of keys takes them: "a|b|c". */
std::string Choice(const std::vector<std::string>& words);

}  // namespace intervox::host
