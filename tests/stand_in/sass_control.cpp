// Jumps and barriers.
#include "tests/stand_in/sass_operand.h"

namespace stand_in::sass {

namespace {

// Each number is that of an instruction of 16 bytes.
void Jump(const Instruction& i, Thread* t, std::uint32_t address) {
  if (address % 16 != 0) Stop(i.number, "a jump to nowhere");
  t->next = address / 16;
}
void Branch(const Instruction& i, Thread& t) {
  const bool taken = i.operands.size() == 1 || Holds(t, i.operands[0]);
  if (taken) Jump(i, &t, i.operands.back().number);
}
void Return(const Instruction& i, Thread& t) {
  Jump(i, &t, Word(t, i, i.operands[0]) + i.operands[1].number);
}
void BranchByTable(const Instruction& i, Thread& t) {
  const auto behind = static_cast<std::uint32_t>(16 * (i.number + 1));
  Jump(i, &t, behind + Word(t, i, i.operands[0]) + i.operands[1].number);
}
void Exit(const Instruction&, Thread& t) { t.ended = true; }
void Nothing(const Instruction&, Thread&) {}

// Threads of a warp wait for each other at barriers: alone, one need only be awaited where it
// waits.
std::uint32_t& BarrierOf(Thread* t, const Operand& o) {
  return t->barriers[static_cast<std::size_t>(o.index)];
}
void BeginBarrier(const Instruction& i, Thread& t) { BarrierOf(&t, i.operands[0]) = 1; }
void WaitAtBarrier(const Instruction& i, Thread& t) {
  std::uint32_t& barrier = BarrierOf(&t, i.operands[0]);
  if (barrier != 1) Stop(i.number, "waits where it is not awaited");
  barrier = 0;
}
void LeaveBarrier(const Instruction& i, Thread& t) {
  if (i.operands.size() == 1 || Holds(t, i.operands[0])) BarrierOf(&t, i.operands.back()) = 0;
}
void MoveBarrier(const Instruction& i, Thread& t) {
  if (i.operands[0].kind == Kind::kBarrier) {
    BarrierOf(&t, i.operands[0]) = Word(t, i, i.operands[1]);
  } else {
    Set(&t, i.operands[0], BarrierOf(&t, i.operands[1]));
  }
}
void MoveAndClearBarrier(const Instruction& i, Thread& t) {
  MoveBarrier(i, t);
  BarrierOf(&t, i.operands[1]) = 0;
}

}  // namespace

Table ControlTable() {
  return {
      {"BRA", {Branch, ""}},
      {"CALL.REL.NOINC", {Branch, ""}},
      {"RET.REL.NODEC", {Return, ""}},
      {"BRX", {BranchByTable, ""}},
      {"EXIT", {Exit, ""}},
      {"NOP", {Nothing, ""}},
      {"WARPSYNC.ALL", {Nothing, ""}},
      {"BSSY", {BeginBarrier, ""}},
      {"BSYNC", {WaitAtBarrier, ""}},
      {"BREAK", {LeaveBarrier, ""}},
      {"BMOV.32", {MoveBarrier, ""}},
      {"BMOV.32.CLEAR", {MoveAndClearBarrier, ""}},
  };
}

}  // namespace stand_in::sass
