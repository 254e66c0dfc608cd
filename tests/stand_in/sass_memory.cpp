// Loads and stores.
#include <algorithm>
#include <cstring>

#include "tests/stand_in/sass_operand.h"

namespace stand_in::sass {

namespace {

void LoadConstant(const Instruction& i, Thread& t) {
  const Operand& from = i.operands[1];
  if (i.bytes == 8) {
    SetLong(&t, i.operands[0], LongBits(t, i, from));
  } else if (i.bytes == 1) {
    Set(&t, i.operands[0], Constant<std::uint8_t>(t, i, from));
  } else {
    Set(&t, i.operands[0], Word(t, i, from));
  }
}

std::uint64_t LocalAddress(const Thread& t, const Operand& o) {
  const auto added = static_cast<std::int32_t>(t.registers[static_cast<std::size_t>(o.index)]);
  return static_cast<std::uint64_t>(o.offset + added) +
         t.uniforms[static_cast<std::size_t>(o.uniform)];
}
std::uint64_t GenericAddress(const Thread& t, const Operand& o) {
  const auto k = static_cast<std::size_t>(o.index), u = static_cast<std::size_t>(o.uniform);
  std::uint64_t address = static_cast<std::uint64_t>(o.offset) + t.registers[k];
  if (o.wide && k != kZero) address += std::uint64_t{t.registers[k + 1]} << 32;
  if (u != kUniformZero) address += t.uniforms[u] | std::uint64_t{t.uniforms[u + 1]} << 32;
  return address;
}

bool InGlobals(const Thread& t, const char* at, std::size_t bytes) {
  for (const auto& [section, memory] : t.launch->globals) {
    if (at >= memory.data() && at + bytes <= memory.data() + memory.size()) return true;
  }
  return false;
}

template <bool kLocal>
char* MemoryOf(const Instruction& i, Thread* t, const Operand& o) {
  std::uint64_t address = kLocal ? LocalAddress(*t, o) : GenericAddress(*t, o);
  if (address % i.bytes != 0) Stop(i.number, "an unaligned access");
  const bool local = kLocal || address >> 48 == kLocalWindow >> 48;
  if (local) {
    if (!kLocal) address -= kLocalWindow;
    if (address > t->local.size() || i.bytes > t->local.size() - address) {
      Stop(i.number, "an access outside the stack");
    }
    return t->local.data() + address;
  }
  char* at = reinterpret_cast<char*>(address);
  if (!t->launch->on_device(at, i.bytes) && !InGlobals(*t, at, i.bytes)) {
    Stop(i.number, "an access outside its memory");
  }
  return at;
}

template <class T>
std::uint32_t Read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return static_cast<std::uint32_t>(value);
}
template <bool kLocal>
void Load(const Instruction& i, Thread& t) {
  const Operand& to = i.operands[0];
  const char* at = MemoryOf<kLocal>(i, &t, i.operands[1]);
  if (i.bytes == 1) {
    Set(&t, to, i.is_signed ? Read<std::int8_t>(at) : Read<std::uint8_t>(at));
  } else if (i.bytes == 2) {
    Set(&t, to, i.is_signed ? Read<std::int16_t>(at) : Read<std::uint16_t>(at));
  } else {
    for (int k = 0; k < i.bytes / 4; ++k) Set(&t, to, Read<std::uint32_t>(at + 4 * k), k);
  }
}
template <bool kLocal>
void Store(const Instruction& i, Thread& t) {
  const Operand& from = i.operands[1];
  if (from.kind != Kind::kRegister) Stop(i.number, "a store of other than registers");
  char* at = MemoryOf<kLocal>(i, &t, i.operands[0]);
  const std::size_t bytes = std::min<std::size_t>(i.bytes, 4);
  for (int k = 0; 4 * k < i.bytes; ++k) {
    const auto index = static_cast<std::size_t>(from.index + (from.index == kZero ? 0 : k));
    std::memcpy(at + 4 * k, &t.registers[index], bytes);
  }
}

}  // namespace

Table MemoryTable() {
  const std::string memory = " E 64 128 U8 S8 U16 S16 CONSTANT LU ";
  return {
      {"LDC", {LoadConstant, " 64 U8 "}}, {"ULDC", {LoadConstant, " 64 "}},
      {"LDL", {Load<true>, memory}},      {"STL", {Store<true>, memory}},
      {"LDG", {Load<false>, memory}},     {"STG", {Store<false>, memory}},
      {"LD", {Load<false>, memory}},      {"ST", {Store<false>, memory}},
  };
}

}  // namespace stand_in::sass
