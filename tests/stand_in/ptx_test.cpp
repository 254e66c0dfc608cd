// The machine that runs PTX: its arithmetic where C++'s differs, and what it must stop at.
#include "tests/stand_in/ptx.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stand_in {
namespace {

using Words = std::array<std::uint64_t, 8>;

// A kernel with a pointer to eight words as its argument; `body` finds the pointer in %rd1.
std::string Kernel(const std::string& body, const std::string& before = "") {
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + before +
         ".entry kernel(\n.param .u64 words\n)\n{\n.local .align 16 .b8 __local_depot0[64];\n"
         ".reg .b64 %SP;\nmov.u64 %SP, __local_depot0;\nld.param.u64 %rd1, [words];\n" +
         body + "ret;\n}\n";
}

void Launch(const std::string& text, Words* words, int blocks = 1, int threads = 1) {
  const char* begin = reinterpret_cast<const char*>(words->data());
  auto address = reinterpret_cast<std::uint64_t>(begin);
  void* arguments[] = {&address};
  PtxModule(text).Run(blocks, threads, arguments, 4096, [&](const char* at, std::size_t bytes) {
    return at >= begin && at + bytes <= begin + sizeof(Words);
  });
}

std::string MessageOf(const std::string& text) {
  Words words{};
  try {
    Launch(text, &words);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PtxMachine, RoundsOnceInAFusedProduct) {
  const double a = 1 + 0x1p-30, product = a * a;
  Words words{std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(-product)};
  Launch(Kernel("ld.global.v2.f64 {%fd1, %fd2}, [%rd1];\n"
                "fma.rn.f64 %fd3, %fd1, %fd1, %fd2;\nst.global.f64 [%rd1+16], %fd3;\n"
                "mul.rn.f64 %fd4, %fd1, %fd1;\nadd.rn.f64 %fd5, %fd4, %fd2;\n"
                "st.global.f64 [%rd1+24], %fd5;\n"),
         &words);
  EXPECT_EQ(std::bit_cast<double>(words[2]), std::fma(a, a, -product));
  EXPECT_NE(std::bit_cast<double>(words[2]), 0.0);
  EXPECT_EQ(std::bit_cast<double>(words[3]), 0.0);
}

TEST(PtxMachine, TakesZerosAndNaNsAsTheManualSays) {
  Words words{};
  Launch(Kernel("mov.f64 %fd1, 0d7FF8000000000000;\nmov.f64 %fd2, 0d8000000000000000;\n"
                "max.f64 %fd3, %fd1, 0d4000000000000000;\nst.global.f64 [%rd1], %fd3;\n"
                "max.f64 %fd3, %fd2, 0d0000000000000000;\nst.global.f64 [%rd1+8], %fd3;\n"
                "min.f64 %fd3, 0d0000000000000000, %fd2;\nst.global.f64 [%rd1+16], %fd3;\n"
                "cvt.rzi.s32.f64 %r1, %fd1;\nst.global.u32 [%rd1+24], %r1;\n"
                "cvt.rzi.s32.f64 %r1, 0d42FFFFFFFFFFFFFF;\nst.global.u32 [%rd1+32], %r1;\n"
                "setp.lt.f64 %p1, %fd1, %fd2;\nselp.u64 %rd2, 1, 0, %p1;\n"
                "setp.ltu.f64 %p2, %fd1, %fd2;\nselp.u64 %rd3, 1, 0, %p2;\n"
                "st.global.u64 [%rd1+40], %rd2;\nst.global.u64 [%rd1+48], %rd3;\n"
                "setp.num.f64 %p1, %fd2, %fd1;\nselp.u64 %rd2, 7, 1, %p1;\n"
                "setp.nan.f64 %p2, %fd2, %fd1;\nselp.u64 %rd3, %rd2, 0, %p2;\n"
                "st.global.u64 [%rd1+56], %rd3;\n"),
         &words);
  EXPECT_EQ(std::bit_cast<double>(words[0]), 2.0);
  EXPECT_FALSE(std::signbit(std::bit_cast<double>(words[1])));
  EXPECT_TRUE(std::signbit(std::bit_cast<double>(words[2])));
  EXPECT_EQ(words[3], 0U);
  EXPECT_EQ(words[4], static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()));
  EXPECT_EQ(words[5], 0U);
  EXPECT_EQ(words[6], 1U);
  EXPECT_EQ(words[7], 1U);
}

TEST(PtxMachine, WrapsShiftsAndWidensIntegers) {
  Words words{};
  Launch(Kernel("mov.u32 %r1, -2;\nshr.s32 %r2, %r1, 40;\nshr.u32 %r3, %r1, 40;\n"
                "st.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+8], %r3;\n"
                "mul.wide.s32 %rd2, %r1, 3;\nst.global.u64 [%rd1+16], %rd2;\n"
                "st.local.u8 [%SP+4], %r1;\nld.local.s8 %rs1, [%SP+4];\ncvt.s64.s8 %rd3, %rs1;\n"
                "st.global.u64 [%rd1+24], %rd3;\nprmt.b32 %r4, %r1, 305419896, 30086;\n"
                "st.global.u32 [%rd1+32], %r4;\nmov.b64 %rd4, {%r1, %r3};\n"
                "mov.b64 {%r5, %r6}, %rd4;\nst.global.v2.u32 [%rd1+40], {%r6, %r5};\n"
                "clz.b64 %r7, %rd4;\nclz.b64 %r8, 5;\nst.global.u32 [%rd1+48], %r7;\n"
                "st.global.u32 [%rd1+56], %r8;\n"),
         &words);
  EXPECT_EQ(words[0], 0xFFFFFFFFU);
  EXPECT_EQ(words[1], 0U);
  EXPECT_EQ(words[2], static_cast<std::uint64_t>(-6));
  EXPECT_EQ(words[3], static_cast<std::uint64_t>(-2));
  EXPECT_EQ(words[4], 0x1256FF34U);  // bytes 6, the sign of 0, 5, 7
  EXPECT_EQ(words[5], std::uint64_t{0xFFFFFFFE} << 32);
  EXPECT_EQ(words[6], 32U);  // where a number's upper half is 0
  EXPECT_EQ(words[7], 61U);
}

TEST(PtxMachine, CountsBits) {
  Words words{};
  Launch(Kernel("mov.u64 %rd2, -8589934589;\npopc.b64 %r1, %rd2;\nst.global.u32 [%rd1], %r1;\n"
                "mov.u32 %r2, -2;\npopc.b32 %r3, %r2;\nst.global.u32 [%rd1+8], %r3;\n"
                "popc.b64 %r4, 0;\nst.global.u32 [%rd1+16], %r4;\n"),
         &words);
  EXPECT_EQ(words[0], 33U);  // of 0xFFFFFFFE00000003
  EXPECT_EQ(words[1], 31U);
  EXPECT_EQ(words[2], 0U);
}

TEST(PtxMachine, CallsLoopsAndKnowsItsThread) {
  // The sum of 1 … n by recursion, for each of 2 × 3 threads n = its number.
  const std::string sum =
      ".func (.param .b32 result) Sum(\n.param .b32 n\n)\n{\nld.param.u32 %r1, [n];\n"
      "mov.u32 %r2, 0;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra $Done;\n{ // callseq\n"
      "sub.s32 %r3, %r1, 1;\n.param .b32 param0;\nst.param.b32 [param0+0], %r3;\n"
      ".param .b32 retval0;\ncall.uni (retval0),\nSum,\n(\nparam0\n);\n"
      "ld.param.b32 %r4, [retval0+0];\n}\nadd.s32 %r2, %r4, %r1;\n$Done:\n"
      "st.param.b32 [result+0], %r2;\nret;\n}\n";
  Words words{};
  Launch(Kernel("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
                "mad.lo.s32 %r4, %r1, %r2, %r3;\n.param .b32 param0;\n"
                "st.param.b32 [param0+0], %r4;\n.param .b32 retval0;\n"
                "call.uni (retval0), Sum, (param0);\nld.param.b32 %r5, [retval0+0];\n"
                "mul.wide.u32 %rd2, %r4, 8;\nadd.s64 %rd3, %rd1, %rd2;\n"
                "st.global.u32 [%rd3], %r5;\n",
                sum),
         &words, 2, 3);
  EXPECT_EQ(words, (Words{0, 1, 3, 6, 10, 15, 0, 0}));
}

TEST(PtxMachine, StopsWhereADeviceWould) {
  const auto stops = [](const std::string& body, const char* why) {
    const std::string message = MessageOf(Kernel(body));
    EXPECT_NE(message.find(why), std::string::npos) << body << message;
    EXPECT_NE(message.find("PTX line "), std::string::npos) << message;
  };
  EXPECT_EQ(MessageOf(Kernel("ld.global.u64 %rd2, [%rd1+56];\n")), "no error");
  stops("ld.global.u64 %rd2, [%rd1+64];\n", "outside its memory");
  stops("ld.global.u64 %rd2, [%rd1+-8];\n", "outside its memory");
  stops("ld.global.u64 %rd2, [%rd1+4];\n", "unaligned");
  stops("ld.global.v2.u64 {%rd2, %rd3}, [%SP];\n", "outside its memory");
  stops("st.local.u64 [%rd1], %rd1;\n", "outside its memory");
  stops("mul.f64 %fd1, %fd2, %fd3;\n", "unknown instruction 'mul.f64'");
  stops("bra $Nowhere;\n", "a branch to nowhere");
  const std::string forever =
      ".func Forever()\n{\n.local .align 16 .b8 __local_depot1[512];\n"
      "call.uni Forever, ();\nret;\n}\n";
  EXPECT_NE(MessageOf(Kernel("call.uni Forever, ();\n", forever)).find("the stack is full"),
            std::string::npos);
  EXPECT_NE(MessageOf(".version 9.0\n").find("no kernel"), std::string::npos);
}

TEST(PtxMachine, KnowsHowDeepTheStackIs) {
  const std::string leaf = ".func Leaf()\n{\n.local .align 16 .b8 __local_depot1[512];\nret;\n}\n";
  const std::string caller =
      ".func Caller()\n{\n.local .align 16 .b8 __local_depot2[256];\ncall.uni Leaf, ();\nret;\n}\n";
  const std::size_t alone = PtxModule(Kernel("")).StackBytes();
  EXPECT_EQ(PtxModule(Kernel("call.uni Leaf, ();\n", leaf)).StackBytes(), alone + 512);
  EXPECT_EQ(
      PtxModule(Kernel("call.uni Leaf, ();\ncall.uni Caller, ();\n", leaf + caller)).StackBytes(),
      alone + 768);
  const std::string again =
      ".func Again()\n{\ncall.uni Caller, ();\nret;\n}\n"
      ".func Caller()\n{\ncall.uni Again, ();\nret;\n}\n";
  EXPECT_THROW(PtxModule(Kernel("call.uni Again, ();\n", again)).StackBytes(), std::runtime_error);
}

}  // namespace
}  // namespace stand_in
