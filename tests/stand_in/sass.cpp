#include "tests/stand_in/sass.h"

#include <algorithm>
#include <cstring>

#include "tests/stand_in/sass_reader.h"

namespace stand_in {

struct SassModule::State {
  explicit State(const std::string& listing) : kernel(sass::Read(listing)) {}

  sass::Kernel kernel;

  // Where the driver leaves what a launch is in the bank of constants 0.
  enum : std::size_t {
    kThreads = 0x0,
    kBlocks = 0xC,
    kWindow = 0x20,
    kStack = 0x28,
    kDescriptor = 0x208,
    kArguments = 0x210
  };

  template <class T>
  void Put(std::size_t at, T value) {
    std::memcpy(kernel.launch.banks[0].data() + at, &value, sizeof(T));
  }

  void PrepareConstants(int blocks, int threads, void** arguments, std::size_t stack_bytes) {
    std::vector<char>& bank = kernel.launch.banks[0];
    if (bank.size() < kArguments) throw std::runtime_error("SASS: no room for arguments");
    std::fill(bank.begin(), bank.end(), char{0});
    Put(kThreads, static_cast<std::uint32_t>(threads));
    Put(kBlocks, static_cast<std::uint32_t>(blocks));
    Put(kWindow, sass::kLocalWindow);
    Put(kStack, static_cast<std::uint32_t>(stack_bytes));
    Put(kDescriptor, std::uint64_t{0});
    std::memcpy(bank.data() + kArguments, arguments[0], bank.size() - kArguments);
  }

  void Execute(sass::Thread* t) const {
    const std::vector<sass::Instruction>& code = kernel.code;
    while (!t->ended) {
      if (t->next >= code.size()) sass::Stop(t->next, "a jump to nowhere");
      const sass::Instruction& i = code[t->next++];
      if (sass::Holds(*t, i.guard)) i.run(i, *t);
    }
  }
};

SassModule::SassModule(const std::string& listing) : state_(std::make_unique<State>(listing)) {}

SassModule::~SassModule() = default;

std::size_t SassModule::StackBytes() const { return state_->kernel.stack_bytes; }

namespace {

// Registers, predicates and the stack hold rubbish where nothing was written.
void Reset(sass::Thread* t, int block, int number) {
  t->registers.fill(0xCDCDCDCD);
  t->registers[sass::kZero] = 0;
  t->uniforms.fill(0xCDCDCDCD);
  t->uniforms[sass::kUniformZero] = 0;
  t->predicates.fill(false);
  t->uniform_predicates.fill(false);
  t->predicates[sass::kTrue] = t->uniform_predicates[sass::kTrue] = true;
  t->barriers.fill(0);
  std::fill(t->local.begin(), t->local.end(), static_cast<char>(0xCD));
  t->block = static_cast<std::uint32_t>(block);
  t->number = static_cast<std::uint32_t>(number);
  t->next = 0;
  t->ended = false;
}

}  // namespace

void SassModule::Run(int blocks, int threads, void** arguments, std::size_t stack_bytes,
                     const OnDevice& on_device) {
  // Its top is aligned, however deep kernels before this one were.
  constexpr std::size_t kAligned = 16;
  stack_bytes = (stack_bytes + kAligned - 1) / kAligned * kAligned;
  state_->PrepareConstants(blocks, threads, arguments, stack_bytes);
  state_->kernel.launch.on_device = on_device;
  sass::Thread thread;
  thread.launch = &state_->kernel.launch;
  thread.local.resize(stack_bytes);
  for (int block = 0; block < blocks; ++block) {
    for (int number = 0; number < threads; ++number) {
      Reset(&thread, block, number);
      state_->Execute(&thread);
    }
  }
}

}  // namespace stand_in
