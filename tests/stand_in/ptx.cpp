#include "tests/stand_in/ptx.h"

#include <algorithm>
#include <cstring>

#include "tests/stand_in/ptx_reader.h"

namespace stand_in {

struct PtxModule::State {
  explicit State(const std::string& text) : module(ptx::Read(text)) {}

  ptx::Module module;

  // Of the thread that runs:
  std::vector<std::uint64_t> stack, registers;
  const OnDevice* on_device = nullptr;
  std::uint64_t place[ptx::kFirstFree] = {};

  bool OnStack(const char* at, std::size_t bytes) const {
    const char* begin = reinterpret_cast<const char*>(stack.data());
    return at >= begin && at + bytes <= begin + 8 * stack.size();
  }
  bool InGlobals(const char* at, std::size_t bytes) const {
    for (const auto& [name, words] : module.globals) {
      const char* begin = reinterpret_cast<const char*>(words.data());
      if (at >= begin && at + bytes <= begin + 8 * words.size()) return true;
    }
    return false;
  }

  void CheckAccess(const ptx::Instruction& i, const std::uint64_t* r) const {
    const std::uint64_t address = r[i.slot[0]] + static_cast<std::uint64_t>(i.offset);
    const char* at = reinterpret_cast<const char*>(address);
    if (address % i.bytes != 0) ptx::Stop(i.line, "an unaligned access");
    if (i.space != ptx::Space::kGlobal && OnStack(at, i.bytes)) return;
    if (i.space != ptx::Space::kLocal && ((*on_device)(at, i.bytes) || InGlobals(at, i.bytes)))
      return;
    ptx::Stop(i.line, "an access outside its memory");
  }

  // Of a function and what it calls; `callers` are those that wait for it.
  std::size_t DepthOf(int number, std::vector<int>* callers) const {
    const ptx::Function& f = module.functions[static_cast<std::size_t>(number)];
    std::size_t deepest = 0;
    callers->push_back(number);
    for (const ptx::Instruction& i : f.code) {
      if (i.kind != ptx::Kind::kCall) continue;
      if (std::find(callers->begin(), callers->end(), i.target) != callers->end()) {
        ptx::Stop(i.line, "a recursion: the stack has no known depth");
      }
      deepest = std::max(deepest, DepthOf(i.target, callers));
    }
    callers->pop_back();
    return static_cast<std::size_t>(f.frame_bytes) + deepest;
  }

  // Frames grow from `frame` and `slots` on; `passed` are the addresses of result and arguments.
  void Execute(const ptx::Function& f, std::size_t frame, std::size_t slots, int line,
               const std::vector<char*>& passed) {
    if (f.code.empty()) ptx::Stop(line, "a call of a function without a body");
    if (passed.size() != f.parameters.size()) ptx::Stop(line, "other arguments than parameters");
    const std::size_t end = frame + static_cast<std::size_t>(f.frame_bytes);
    if (end > 8 * stack.size()) ptx::Stop(line, "the stack is full");
    if (slots + static_cast<std::size_t>(f.slots) > registers.size()) {
      ptx::Stop(line, "too many registers");
    }
    char* memory = reinterpret_cast<char*>(stack.data()) + frame;
    std::memset(memory, 0xCD, static_cast<std::size_t>(f.frame_bytes));
    std::uint64_t* r = registers.data() + slots;
    std::copy(place, place + ptx::kFirstFree, r);
    r[ptx::kFrame] = reinterpret_cast<std::uint64_t>(memory);
    for (const auto& [slot, value] : f.constants) r[slot] = value;
    for (std::size_t k = f.returns ? 1 : 0; k < passed.size(); ++k) {
      std::memcpy(memory + f.parameters[k].offset, passed[k], f.parameters[k].bytes);
    }
    for (std::size_t at = 0;;) {
      const ptx::Instruction& i = f.code[at++];
      if (i.guard >= 0 && (r[i.guard] != 0) == i.unless) continue;
      switch (i.kind) {
        case ptx::Kind::kMemory:
          CheckAccess(i, r);
          [[fallthrough]];
        case ptx::Kind::kPlain:
          i.run(i, r);
          break;
        case ptx::Kind::kBranch:
          at = static_cast<std::size_t>(i.target);
          break;
        case ptx::Kind::kCall: {
          std::vector<char*> arguments;
          for (const std::int64_t offset : i.passed) arguments.push_back(memory + offset);
          Execute(module.functions[static_cast<std::size_t>(i.target)], end,
                  slots + static_cast<std::size_t>(f.slots), i.line, arguments);
          break;
        }
        case ptx::Kind::kReturn:
          if (f.returns) {
            std::memcpy(passed[0], memory + f.parameters[0].offset, f.parameters[0].bytes);
          }
          return;
      }
    }
  }
};

PtxModule::PtxModule(const std::string& text) : state_(std::make_unique<State>(text)) {}

PtxModule::~PtxModule() = default;

std::size_t PtxModule::StackBytes() const {
  std::vector<int> callers;
  return state_->DepthOf(state_->module.kernel, &callers);
}

void PtxModule::Run(int blocks, int threads, void** arguments, std::size_t stack_bytes,
                    const OnDevice& on_device) {
  State& s = *state_;
  s.stack.assign(stack_bytes / 8, 0);
  s.registers.assign(std::size_t{1} << 20, 0);
  s.on_device = &on_device;
  const ptx::Function& kernel = s.module.functions[static_cast<std::size_t>(s.module.kernel)];
  std::vector<char*> passed;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    passed.push_back(static_cast<char*>(arguments[k]));
  }
  s.place[ptx::kThreads] = static_cast<std::uint64_t>(threads);
  s.place[ptx::kBlocks] = static_cast<std::uint64_t>(blocks);
  for (int block = 0; block < blocks; ++block) {
    for (int thread = 0; thread < threads; ++thread) {
      s.place[ptx::kBlock] = static_cast<std::uint64_t>(block);
      s.place[ptx::kThread] = static_cast<std::uint64_t>(thread);
      s.Execute(kernel, 0, 0, 0, passed);
    }
  }
}

}  // namespace stand_in
