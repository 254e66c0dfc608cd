// The machine that runs machine code: its arithmetic, what it must stop at, and that it notices a
// wrong instruction.
#include "tests/stand_in/sass.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace stand_in {
namespace {

using Words = std::array<std::uint64_t, 8>;

// A kernel with a pointer to eight words as its argument; `body` finds the pointer in R2 and R3.
std::string Kernel(const std::string& body) {
  const std::string text =
      "LDC R1, c[0x0][0x28]\nVIADD R1, R1, 0xffffffe0\nLDC.64 R2, c[0x0][0x210]\n" + body +
      "EXIT\n";
  std::ostringstream listing;
  listing << "kernel Kernel\nconstant 0 " << std::string(2 * 0x218, '0') << "\n";
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    listing << "code " << std::hex << 16 * number << " 0000000000000000 " << line << "\n";
  }
  return listing.str();
}

void Launch(const std::string& listing, Words* words, int blocks = 1, int threads = 1) {
  const char* begin = reinterpret_cast<const char*>(words->data());
  auto address = reinterpret_cast<std::uint64_t>(begin);
  void* arguments[] = {&address};
  SassModule module(listing);
  module.Run(blocks, threads, arguments, module.StackBytes(),
             [&](const char* at, std::size_t bytes) {
               return at >= begin && at + bytes <= begin + sizeof(Words);
             });
}

std::string MessageOf(const std::string& body) {
  Words words{};
  try {
    Launch(Kernel(body), &words);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

double At(const Words& words, std::size_t k) { return std::bit_cast<double>(words.at(k)); }

constexpr double kA = 1 + 0x1p-30;

// a·a + b, where b is the negative of the rounded a·a.
double Fused() {
  Words words{std::bit_cast<std::uint64_t>(kA), std::bit_cast<std::uint64_t>(-(kA * kA))};
  Launch(Kernel("LDG.E.64 R4, desc[UR4][R2.64]\nLDG.E.64 R6, desc[UR4][R2.64+0x8]\n"
                "DFMA R8, R4, R4, R6\nSTG.E.64 desc[UR4][R2.64+0x10], R8\n"),
         &words);
  return At(words, 2);
}

TEST(SassMachine, RoundsOnceInAFusedProduct) {
  EXPECT_EQ(Fused(), std::fma(kA, kA, -(kA * kA)));
  EXPECT_NE(Fused(), 0.0);
}

// One changed opcode in a listing changes the bits, here that of a sum or of its rounding.
TEST(SassMachine, NoticesAWrongInstruction) {
  const auto sum = [](const std::string& opcode) {
    Words words{std::bit_cast<std::uint64_t>(kA), std::bit_cast<std::uint64_t>(0x1p-53)};
    Launch(Kernel("LDG.E.128 R4, desc[UR4][R2.64]\n" + opcode +
                  " R8, R4, -|R6|\nSTG.E.64 desc[UR4][R2.64+0x10], R8\n"),
           &words);
    return At(words, 2);
  };
  EXPECT_EQ(sum("DADD"), kA - 0x1p-53);
  EXPECT_EQ(sum("DMUL"), kA * -0x1p-53);
  EXPECT_NE(sum("DADD"), sum("DMUL"));
  const auto square = [](const std::string& opcode) {
    Words words{std::bit_cast<std::uint64_t>(kA)};
    Launch(Kernel("LDG.E.64 R4, desc[UR4][R2.64]\n" + opcode +
                  " R8, R4, R4\nSTG.E.64 desc[UR4][R2.64+0x8], R8\n"),
           &words);
    return At(words, 1);
  };
  EXPECT_EQ(square("DMUL"), kA * kA);
  EXPECT_EQ(square("DMUL.RP"), std::nextafter(kA * kA, 2.0));
}

TEST(SassMachine, CarriesAndComparesIntegersOfTwoWords) {
  Words words{0x00000001'FFFFFFFF, 0x00000002'00000003};
  Launch(Kernel("LDG.E.128 R4, desc[UR4][R2.64]\nIADD3 R8, P0, R4, R6, RZ\n"
                "IADD3.X R9, R5, R7, RZ, P0, !PT\nSTG.E.64 desc[UR4][R2.64+0x10], R8\n"
                "ISETP.LT.U32.AND P1, PT, R4, R6, PT\nISETP.LT.AND.EX P1, PT, R5, R7, PT, P1\n"
                "SEL R10, R4, RZ, P1\nSTG.E desc[UR4][R2.64+0x18], R10\n"
                "LOP3.LUT R11, R4, R6, RZ, 0x3c, !PT\nSTG.E desc[UR4][R2.64+0x20], R11\n"
                "PRMT R12, R6, 0x7610, R5\nSTG.E desc[UR4][R2.64+0x28], R12\n"
                "FLO.U32 R13, R7\nFLO.U32 R14, RZ\nSTG.E desc[UR4][R2.64+0x30], R13\n"
                "STG.E desc[UR4][R2.64+0x38], R14\n"),
         &words);
  EXPECT_EQ(words[2], words[0] + words[1]);
  EXPECT_EQ(words[3], 0xFFFFFFFFU);  // the lesser one's low word
  EXPECT_EQ(words[4], 0xFFFFFFFFU ^ 3U);
  EXPECT_EQ(words[5], 3U);
  EXPECT_EQ(words[6], 1U);  // the highest bit of 2
  EXPECT_EQ(words[7], 0xFFFFFFFFU);
}

TEST(SassMachine, CountsBits) {
  Words words{0xFFFFFFFE00000003};
  Launch(Kernel("LDG.E.64 R4, desc[UR4][R2.64]\nPOPC R6, R4\nPOPC R7, R5\nPOPC R8, RZ\n"
                "STG.E.64 desc[UR4][R2.64+0x8], R6\nSTG.E desc[UR4][R2.64+0x10], R8\n"),
         &words);
  EXPECT_EQ(words[1], 0x0000001F'00000002U);
  EXPECT_EQ(words[2], 0U);
}

// -(a << 3) + 5 has a carry where a is 0, and none where it is 1.
TEST(SassMachine, CarriesWhereANegativeNumberIsZero) {
  for (const std::uint64_t a : {0U, 1U}) {
    Words words{a};
    Launch(Kernel("LDG.E R4, desc[UR4][R2.64]\nLEA R8, P0, -R4, 0x5, 0x3\n"
                  "IADD3.X R9, RZ, RZ, RZ, P0, !PT\nSTG.E.64 desc[UR4][R2.64+0x8], R8\n"),
           &words);
    EXPECT_EQ(words[1], a == 0 ? 0x00000001'00000005U : 0x00000000'FFFFFFFDU);
  }
}

TEST(SassMachine, CallsAndKnowsItsThread) {
  Words words{};
  // Instruction 3 begins the body; the function behind EXIT squares R0 and returns to R20.
  const std::string body =
      "S2R R0, SR_TID.X\nS2UR UR6, SR_CTAID.X\nIMAD R0, UR6, 0x3, R0\nIMAD.WIDE R2, R0, 0x8, R2\n"
      "MOV R20, 0x90\nCALL.REL.NOINC 0xb0\nSTG.E desc[UR4][R2.64], R0\nEXIT\n"
      "IMAD R0, R0, R0, RZ\nRET.REL.NODEC R20 0x0\n";
  Launch(Kernel(body), &words, 2, 3);
  EXPECT_EQ(words, (Words{0, 1, 4, 9, 16, 25, 0, 0}));
}

TEST(SassMachine, StopsWhereADeviceWould) {
  const auto stops = [](const std::string& body, const char* why) {
    const std::string message = MessageOf(body);
    EXPECT_NE(message.find(why), std::string::npos) << body << message;
    EXPECT_NE(message.find("SASS instruction "), std::string::npos) << message;
  };
  EXPECT_EQ(MessageOf("LDG.E.64 R4, desc[UR4][R2.64+0x38]\nSTL.128 [R1+0x10], R4\n"), "no error");
  stops("LDG.E.64 R4, desc[UR4][R2.64+0x40]\n", "outside its memory");
  stops("LDG.E.64 R4, desc[UR4][R2.64+-0x8]\n", "outside its memory");
  stops("LDG.E.64 R4, desc[UR4][R2.64+0x4]\n", "unaligned");
  stops("STL [R1+0x20], R4\n", "outside the stack");
  stops("LDC R4, c[0x0][0x218]\n", "outside its bank");
  stops("BRA 0x12340\n", "a jump to nowhere");
  stops("BSYNC B0\n", "not awaited");
  stops("DADD.RM R4, R4, R4\n", "unknown instruction 'DADD.RM'");
  stops("MOV R4, SR_CLOCK\n", "unknown operand 'SR_CLOCK'");
}

TEST(SassMachine, KnowsHowDeepTheStackIs) {
  EXPECT_EQ(SassModule(Kernel("")).StackBytes(), 32U);
  EXPECT_EQ(SassModule(Kernel("VIADD R1, R1, 0xfffffff0\nVIADD R1, R1, 0x10\n")).StackBytes(), 48U);
}

}  // namespace
}  // namespace stand_in
