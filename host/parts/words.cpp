#include "host/parts/words.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "host/input/place.h"

namespace intervox::host {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/** Without the sign + that from_chars does not know. */
std::string_view WithoutPlus(std::string_view word) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

}  // namespace

bool EndsLine(std::string_view text, std::size_t at) {
  return text[at] == '\n' || (text[at] == '\r' && (at + 1 >= text.size() || text[at + 1] != '\n'));
}

std::size_t EndOfLine(std::string_view text, std::size_t at) {
  while (at < text.size() && !EndsLine(text, at)) ++at;
  return at;
}

bool SameWord(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::string Shown(std::string_view word, const char* otherwise) {
  constexpr std::size_t kMost = 40;
  if (word.empty()) return otherwise;
  return "'" + std::string(word.substr(0, kMost)) + (word.size() > kMost ? "…'" : "'");
}

bool ToNumber(std::string_view word, double* x) {
  word = WithoutPlus(word);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *x);
  if (word.empty() || end != word.data() + word.size()) return false;
  if (error != std::errc::result_out_of_range) return error == std::errc();
  // Too small for a double is zero; too large is infinite, and refused as such.
  const std::size_t e = word.find_first_of("eE");
  const bool is_small = e != std::string_view::npos && e + 1 < word.size() && word[e + 1] == '-';
  *x = is_small ? 0.0 : std::numeric_limits<double>::infinity();
  return true;
}

bool ToInteger(std::string_view word, long long* n) {
  word = WithoutPlus(word);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *n);
  return error == std::errc() && !word.empty() && end == word.data() + word.size();
}

void Words::SkipBlanks(bool lines) {
  const std::string_view text = file_.bytes;
  for (; at_ < text.size(); ++at_) {
    if (EndsLine(text, at_)) {
      if (!lines) return;
      ++line_;
    } else if (text[at_] == '\\' && !lines) {
      std::size_t end = at_ + 1;
      while (end < text.size() && !EndsLine(text, end) && IsBlank(text[end])) ++end;
      if (end >= text.size() || !EndsLine(text, end)) return;
      at_ = end;
      ++line_;
    } else if (!IsBlank(text[at_])) {
      return;
    }
  }
}

std::string_view Words::Next() {
  SkipBlanks(true);
  return NextOfLine();
}

std::string_view Words::NextOfLine() {
  SkipBlanks(false);
  const std::size_t begin = at_;
  const std::string_view text = file_.bytes;
  while (at_ < text.size() && text[at_] != '\n' && !IsBlank(text[at_])) ++at_;
  return text.substr(begin, at_ - begin);
}

std::string_view Words::RestOfLine() {
  const std::string_view text = file_.bytes;
  const std::size_t end = EndOfLine(text, at_);
  std::string_view rest = text.substr(at_, end - at_);
  while (!rest.empty() && IsBlank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && IsBlank(rest.back())) rest.remove_suffix(1);
  at_ = end;
  if (at_ < text.size()) {
    ++at_;
    ++line_;
  }
  return rest;
}

bool Words::AtEnd() {
  SkipBlanks(true);
  return at_ >= file_.bytes.size();
}

double Words::Number(std::string_view what) {
  const std::string_view word = Next();
  double x = 0;
  if (!ToNumber(word, &x)) {
    Fail("expected " + std::string(what) + ", found " + Shown(word),
         word.empty() ? "The file is cut off; write it again." : "Write a number.");
  }
  return x;
}

void Words::Expect(std::string_view word) {
  const std::string_view found = Next();
  if (SameWord(found, word)) return;
  Fail("expected '" + std::string(word) + "', found " + Shown(found),
       found.empty() ? "The file is cut off; write it again." : "Write the file again.");
}

void Words::Fail(const std::string& what, const std::string& remedy) const {
  FailAt({file_.name, line_}, "", "part", what + ". " + remedy);
}

}  // namespace intervox::host
