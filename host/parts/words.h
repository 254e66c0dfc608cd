/** @file Words and numbers of a text, with the lines where they stand. */
#pragma once

#include <string>
#include <string_view>

#include "host/parts/readers.h"

namespace intervox::host {

/** Reads a text word by word. Words are parted by blanks and line ends, of any system. */
class Words {
 public:
  explicit Words(const PartFile& file) : file_(file) {}

  /** The line of the word that was read last, from 1. */
  int line() const { return line_; }
  /** The bytes read so far. */
  std::size_t position() const { return at_; }
  /** The next word; empty at the end. */
  std::string_view Next();
  /** The next word of this line; empty at its end. A backslash at the end of a line joins it with
   the next. */
  std::string_view NextOfLine();
  /** What is left of this line, without blanks around it; the next line is begun. */
  std::string_view RestOfLine();
  /** Whether nothing but blanks is left. */
  bool AtEnd();
  /** The next word as a number, which may be infinite or none. @throws InputError otherwise. */
  double Number(std::string_view what);
  /** Reads the next word. @throws InputError unless it is this one, whatever its case. */
  void Expect(std::string_view word);
  /** Throws InputError "FILE:LINE: what. remedy". */
  [[noreturn]] void Fail(const std::string& what, const std::string& remedy) const;

 private:
  void SkipBlanks(bool lines);

  PartFile file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/** Whether a line ends with this byte: "\n", "\r\n" and "\r" alone end lines. */
bool EndsLine(std::string_view text, std::size_t at);

/** Where the line ends that goes on at `at`. */
std::size_t EndOfLine(std::string_view text, std::size_t at);

/** Whether two words are the same but for the case of ASCII letters. */
bool SameWord(std::string_view a, std::string_view b);

/** A word for messages: cut after forty bytes, in quotes; what ended before it where empty. */
std::string Shown(std::string_view word, const char* otherwise = "the end of the file");

/** A word as a number. @returns whether it is one; "nan" and "inf" are. */
bool ToNumber(std::string_view word, double* x);

/** A word as a whole number. @returns whether it is one. */
bool ToInteger(std::string_view word, long long* n);

}  // namespace intervox::host
