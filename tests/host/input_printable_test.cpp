// What comes from files cannot steer a terminal or flood it.
#include "host/input/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace intervox::host {
namespace {

TEST(Printable, ControlBytesAreWrittenOut) {
  EXPECT_EQ(Printable("plain text: 1.5 m\n\tα → m³ 漢 😀"), "plain text: 1.5 m\n\tα → m³ 漢 😀");
  EXPECT_EQ(Printable("a\x1b[31mred\x07\x7f\r"), "a\\x1b[31mred\\x07\\x7f\\x0d");
  EXPECT_EQ(Printable(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // C1: a control code in UTF-8
  EXPECT_EQ(Printable("a\u202eb\u2066c"),
            "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6c");  // turns the writing
}

TEST(Printable, WhatIsNoUtf8IsWrittenOut) {
  EXPECT_EQ(Printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(Printable("\xc3"), "\\xc3");                    // cut off
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");           // too long a form
  EXPECT_EQ(Printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // likewise, of a control code
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Printable, WordsAndMessagesAreCut) {
  const std::string word(kMaxWord, 'w');
  EXPECT_EQ(PrintableMessage("a " + word + " b"), "a " + word + " b");
  EXPECT_EQ(PrintableMessage("a " + word + "w b"), "a " + word + "… b");
  EXPECT_EQ(PrintableMessage(std::string(1 << 24, 'x')), std::string(kMaxWord, 'x') + "…");
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "word ";
  const std::string cut = PrintableMessage(text);
  EXPECT_LE(cut.size(), kMaxMessage + 5);
  EXPECT_TRUE(cut.ends_with(" …"));
  // No character is cut through.
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "漢";
  EXPECT_EQ(PrintableMessage(wide).find('\\'), std::string::npos);
}

}  // namespace
}  // namespace intervox::host
