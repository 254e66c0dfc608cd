#include "tests/stand_in/ptx_reader.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace stand_in::ptx {

namespace {

int BytesOf(std::string_view type) { return std::stoi(std::string(type.substr(1))) / 8; }

// ---- Reading. ----

struct Token {
  std::string_view text;
  int line = 0;
};

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

std::vector<Token> Tokens(std::string_view text) {
  std::vector<Token> tokens;
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '\n') {
      ++line;
    } else if (text.substr(at, 2) == "//") {
      end = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '"') {
      end = text.find('"', at + 1) + 1;
      tokens.push_back({text.substr(at, end - at), line});
    } else if (IsWord(text[at])) {
      while (end < text.size() && IsWord(text[end])) ++end;
      tokens.push_back({text.substr(at, end - at), line});
    } else if (std::isspace(static_cast<unsigned char>(text[at])) == 0) {
      tokens.push_back({text.substr(at, 1), line});
    }
    at = end;
  }
  tokens.push_back({"", line});
  return tokens;
}

class Reader {
 public:
  Reader(std::string_view text, std::vector<Function>* functions, Globals* globals)
      : tokens_(Tokens(text)), table_(MakeTable()), functions_(functions), globals_(globals) {}

  // Returns the number of the kernel.
  int Read() {
    int kernel = -1;
    while (!Text().empty()) {
      if (Take(".version")) {
        ++at_;
      } else if (Take(".target")) {
        do ++at_;
        while (Take(","));
      } else if (Take(".address_size")) {
        ++at_;
      } else if (Take(".global")) {
        ReadGlobal();
      } else if (Take(".visible") || Take(".weak")) {
        // Linkage says nothing here.
      } else if (Text() == ".func" || Text() == ".entry") {
        const bool entry = Text() == ".entry";
        ++at_;
        const int number = ReadFunction();
        if (entry && kernel >= 0) Stop(Line(), "a second kernel");
        if (entry) kernel = number;
      } else {
        Stop(Line(), "unknown directive '" + std::string(Text()) + "'");
      }
    }
    if (kernel < 0) Stop(Line(), "there is no kernel");
    return kernel;
  }

 private:
  std::string_view Text(std::size_t ahead = 0) const { return tokens_[at_ + ahead].text; }
  int Line() const { return tokens_[at_].line; }

  bool Take(std::string_view text) {
    if (Text() != text) return false;
    ++at_;
    return true;
  }
  void Expect(std::string_view text) {
    if (!Take(text)) {
      Stop(Line(), "'" + std::string(text) + "' expected, not '" + std::string(Text()) + "'");
    }
  }
  void Skip() {
    if (Text().empty()) Stop(Line(), "the text ends too early");
    ++at_;
  }
  std::string_view Word() {
    if (Text().empty() || !IsWord(Text()[0])) {
      Stop(Line(), "a name expected, not '" + std::string(Text()) + "'");
    }
    return tokens_[at_++].text;
  }

  // [-] decimal, hexadecimal, or 0d… for the bits of a double.
  std::uint64_t Number() {
    const bool negative = Take("-");
    const std::string text(Word());
    const bool bits = text.size() > 2 && text[0] == '0' && (text[1] == 'd' || text[1] == 'f');
    const std::uint64_t value =
        bits ? std::stoull(text.substr(2), nullptr, 16) : std::stoull(text, nullptr, 0);
    return negative ? 0 - value : value;
  }
  bool NumberNext() const {
    return Text() == "-" || std::isdigit(static_cast<unsigned char>(Text()[0])) != 0;
  }

  // [.align n] .type name [ "[" bytes "]" ], after .global, .local or .param.
  struct Declared {
    std::string name;
    std::size_t bytes = 0;
  };
  Declared Declaration() {
    if (Take(".align")) {
      if (Number() > 16) Stop(Line(), "an alignment above 16");
    }
    Declared declared;
    declared.bytes = static_cast<std::size_t>(BytesOf(Word().substr(1)));
    declared.name = Word();
    if (Take("[")) {
      declared.bytes *= Number();
      Expect("]");
    }
    return declared;
  }

  void ReadGlobal() {
    const Declared declared = Declaration();
    auto& words = (*globals_)[declared.name];
    words.resize((declared.bytes + 7) / 8);
    if (Take("=")) {
      char* byte = reinterpret_cast<char*>(words.data());
      Expect("{");
      do *byte++ = static_cast<char>(Number());
      while (Take(","));
      Expect("}");
    }
    Expect(";");
  }

  // Memory of the function's frame, 16 bytes aligned, under a name.
  std::int64_t Place(const Declared& declared) {
    const std::int64_t offset = frame_end_;
    frame_end_ += static_cast<std::int64_t>((declared.bytes + 15) / 16 * 16);
    function_->frame_bytes = std::max(function_->frame_bytes, frame_end_);
    places_[declared.name] = offset;
    return offset;
  }

  void ReadParameters() {
    if (!Take("(")) return;
    while (!Take(")")) {
      Expect(".param");
      const Declared declared = Declaration();
      function_->parameters.push_back({Place(declared), declared.bytes});
      Take(",");
    }
  }

  int ReadFunction() {
    Function read;
    function_ = &read;
    places_.clear();
    frame_end_ = 0;
    slots_ = {
        {"%tid.x", kThread}, {"%ctaid.x", kBlock}, {"%ntid.x", kThreads}, {"%nctaid.x", kBlocks}};
    labels_.clear();
    constants_.clear();
    read.returns = Text() == "(";
    ReadParameters();
    const int number = NumberOf(Word());
    ReadParameters();
    while (Text() != "{" && Text() != ";") Skip();
    if (Take(";")) return number;
    ReadBody();
    for (Instruction& instruction : read.code) {
      if (instruction.kind != Kind::kBranch) continue;
      const auto found = labels_.find(branches_[static_cast<std::size_t>(instruction.target)]);
      if (found == labels_.end()) Stop(instruction.line, "a branch to nowhere");
      instruction.target = found->second;
    }
    branches_.clear();
    (*functions_)[static_cast<std::size_t>(number)] = std::move(read);
    return number;
  }

  // Functions are called before they are read.
  int NumberOf(std::string_view name) {
    const auto [found, is_new] = numbers_.try_emplace(name, static_cast<int>(functions_->size()));
    if (is_new) functions_->emplace_back();
    return found->second;
  }

  // What a scope declares ends with it; calls have scopes of their own.
  void ReadBody() {
    Expect("{");
    const std::int64_t scope = frame_end_;
    while (!Take("}")) {
      if (Text() == "{") {
        ReadBody();
      } else if (Take(".local") || Take(".param")) {
        Place(Declaration());
        Expect(";");
      } else if (Text() == ".reg" || Text() == ".pragma") {
        while (!Take(";")) Skip();
      } else if (Text(1) == ":") {
        labels_[Word()] = static_cast<int>(function_->code.size());
        Expect(":");
      } else {
        ReadInstruction();
      }
    }
    frame_end_ = scope;
  }

  int SlotOf(std::string_view name) {
    const auto [found, is_new] = slots_.try_emplace(name, function_->slots);
    if (is_new) ++function_->slots;
    return found->second;
  }
  int SlotOf(std::uint64_t constant) {
    const auto [found, is_new] = constants_.try_emplace(constant, function_->slots);
    if (is_new) function_->constants.push_back({function_->slots++, constant});
    return found->second;
  }

  // A symbol as slot and offset.
  bool Symbol(Instruction* instruction, int k) {
    const std::string_view name = Text();
    if (const auto place = places_.find(name); place != places_.end()) {
      instruction->slot[k] = kFrame;
      instruction->offset = place->second;
    } else if (const auto global = globals_->find(name); global != globals_->end()) {
      instruction->slot[k] = SlotOf(reinterpret_cast<std::uint64_t>(global->second.data()));
    } else {
      return false;
    }
    ++at_;
    return true;
  }

  // Operands from slot k on; returns how many, and whether one was a symbol.
  int Operand(Instruction* instruction, int k, bool* symbol) {
    if (Take("{")) {
      int count = 0;
      do count += Operand(instruction, k + count, symbol);
      while (Take(","));
      Expect("}");
      return count;
    }
    if (k >= 5) Stop(Line(), "more operands than an instruction has");
    if (Take("[")) {
      if (!Symbol(instruction, k)) instruction->slot[k] = SlotOf(Word());
      if (Take("+")) instruction->offset += static_cast<std::int64_t>(Number());
      Expect("]");
    } else if (NumberNext()) {
      instruction->slot[k] = SlotOf(Number());
    } else if (Symbol(instruction, k)) {
      *symbol = true;
    } else if (Text()[0] == '%') {
      instruction->slot[k] = SlotOf(Word());
    } else {
      Stop(Line(), "unknown name '" + std::string(Text()) + "'");
    }
    return 1;
  }

  void ReadInstruction() {
    Instruction instruction;
    instruction.line = Line();
    if (Take("@")) {
      instruction.unless = Take("!");
      instruction.guard = SlotOf(Word());
    }
    const std::string opcode(Word());
    if (opcode == "bra" || opcode == "bra.uni") {
      instruction.kind = Kind::kBranch;
      instruction.target = static_cast<int>(branches_.size());
      branches_.push_back(Word());
    } else if (opcode == "ret") {
      instruction.kind = Kind::kReturn;
    } else if (opcode == "call.uni" || opcode == "call") {
      ReadCall(&instruction);
    } else {
      ReadPlain(opcode, &instruction);
    }
    Expect(";");
    function_->code.push_back(std::move(instruction));
  }

  void ReadCall(Instruction* call) {
    call->kind = Kind::kCall;
    const auto passed = [&] {
      Expect("(");
      while (!Take(")")) {
        const auto place = places_.find(Word());
        if (place == places_.end()) Stop(Line(), "unknown parameter");
        call->passed.push_back(place->second);
        Take(",");
      }
    };
    if (Text() == "(") {
      passed();
      Expect(",");
    }
    call->target = NumberOf(Word());
    if (Take(",")) passed();
  }

  void ReadPlain(const std::string& opcode, Instruction* instruction) {
    std::string name = opcode;
    const bool load = name.starts_with("ld."), store = name.starts_with("st.");
    if (load || store) {
      const auto drop = [&](std::string_view part) {
        const std::size_t found = name.find(part);
        if (found == std::string::npos) return false;
        name.erase(found, part.size());
        return true;
      };
      instruction->kind = Kind::kMemory;
      if (drop(".local") || drop(".param")) instruction->space = Space::kLocal;
      if (drop(".global")) instruction->space = Space::kGlobal;
      drop(".nc");
    }
    bool symbol = false;
    int count = 0, first = 0;
    if (load) {
      // The base comes first in `slot`, here it comes last.
      count = Operand(instruction, 1, &symbol);
      Expect(",");
      Operand(instruction, 0, &symbol);
    } else {
      first = Operand(instruction, 0, &symbol);
      count = first;
      while (Take(",")) count += Operand(instruction, count, &symbol);
      if (store) --count;
    }
    if (load || store) {
      instruction->bytes =
          static_cast<std::uint8_t>(count * BytesOf(name.substr(name.rfind('.') + 1)));
    } else if (name.starts_with("mov.b") && count == 3) {
      name = (first == 2 ? "split" : "join") + name.substr(3);
    } else if (symbol) {
      if (name != "mov.u64") Stop(instruction->line, "a symbol in '" + opcode + "'");
      name = "address";
    }
    const auto found = table_.find(name);
    if (found == table_.end()) {
      Stop(instruction->line, "unknown instruction '" + opcode + "': MakeTable() wants it");
    }
    instruction->run = found->second;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Table table_;
  std::vector<Function>* functions_;
  Globals* globals_;
  std::unordered_map<std::string_view, int> numbers_;
  // Of the function being read:
  Function* function_ = nullptr;
  std::int64_t frame_end_ = 0;
  std::map<std::string, std::int64_t, std::less<>> places_;
  std::unordered_map<std::string_view, int> slots_, labels_;
  std::unordered_map<std::uint64_t, int> constants_;
  std::vector<std::string_view> branches_;
};

}  // namespace

Module Read(const std::string& text) {
  Module module;
  module.kernel = Reader(text, &module.functions, &module.globals).Read();
  return module;
}

}  // namespace stand_in::ptx
