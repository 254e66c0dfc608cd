#include "tests/stand_in/sass_reader.h"

#include <cctype>
#include <cstring>
#include <sstream>
#include <string_view>

namespace stand_in::sass {

namespace {

using View = std::string_view;

std::vector<char> FromHex(const std::string& hex) {
  std::vector<char> bytes;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(k, 2), nullptr, 16)));
  }
  return bytes;
}

View Trimmed(View s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

bool TakeFront(View* s, View front) {
  if (!s->starts_with(front)) return false;
  s->remove_prefix(front.size());
  return true;
}
bool TakeBack(View* s, View back) {
  if (!s->ends_with(back)) return false;
  s->remove_suffix(back.size());
  return true;
}

// Splits at a sign outside brackets.
std::vector<View> Split(View s, char at) {
  std::vector<View> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= s.size(); ++k) {
    if (k < s.size() && s[k] == '[') ++depth;
    if (k < s.size() && s[k] == ']') --depth;
    if (k < s.size() && (s[k] != at || depth > 0)) continue;
    const View part = Trimmed(s.substr(begin, k - begin));
    if (!part.empty()) parts.push_back(part);
    begin = k + 1;
  }
  return parts;
}

// A whole number as the text has it, in hexadecimal; false for other numbers.
bool TakeHex(View s, std::int64_t* value) {
  const bool negative = TakeFront(&s, "-");
  if (!TakeFront(&s, "0x") || s.empty()) return false;
  if (s.find_first_not_of("0123456789abcdef") != View::npos) return false;
  const std::uint64_t bits = std::stoull(std::string(s), nullptr, 16);
  *value = static_cast<std::int64_t>(negative ? 0U - bits : bits);
  return true;
}

// A name of a register of some kind: letters, then its number or `zero` for the one that never
// changes.
bool TakeName(View s, View letters, View zero, int index_of_zero, int* index) {
  if (s == zero) {
    *index = index_of_zero;
    return true;
  }
  if (!TakeFront(&s, letters) || s.empty()) return false;
  if (s.find_first_not_of("0123456789") != View::npos) return false;
  *index = std::stoi(std::string(s));
  return *index < index_of_zero;
}

class Reader {
 public:
  explicit Reader(const std::string& listing) {
    std::istringstream text(listing);
    for (std::string line; std::getline(text, line);) ReadLine(line);
    if (kernel_.code.empty()) throw std::runtime_error("SASS: no code");
    for (const Address& address : addresses_) Place(address);
  }

  Kernel&& Take() { return std::move(kernel_); }

 private:
  struct Address {
    int bank;
    std::size_t offset;
    std::string section;
    std::size_t offset_there;
  };

  void ReadLine(const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "constant") {
      std::size_t bank = 0;
      std::string hex;
      words >> bank >> hex;
      kernel_.launch.banks.at(bank) = FromHex(hex);
    } else if (kind == "global") {
      std::string section, hex;
      words >> section >> hex;
      kernel_.launch.globals[section] = FromHex(hex);
    } else if (kind == "address") {
      Address a{};
      words >> a.bank >> a.offset >> a.section >> a.offset_there;
      addresses_.push_back(a);
    } else if (kind == "code") {
      std::string address, word, text;
      words >> address >> word;
      std::getline(words, text);
      AddInstruction(std::stoull(address, nullptr, 16), std::stoull(word, nullptr, 16), text);
    } else if (kind != "kernel") {
      throw std::runtime_error("SASS: a line that begins with '" + kind + "'");
    }
  }

  // Global memory lies where it is, once all of it is read.
  void Place(const Address& a) {
    const auto found = kernel_.launch.globals.find(a.section);
    std::vector<char>& bank = kernel_.launch.banks.at(static_cast<std::size_t>(a.bank));
    if (found == kernel_.launch.globals.end() || a.offset + 8 > bank.size()) {
      throw std::runtime_error("SASS: an address in " + a.section);
    }
    const char* at = found->second.data() + a.offset_there;
    std::memcpy(bank.data() + a.offset, &at, sizeof(at));
  }

  void AddInstruction(std::size_t address, std::uint64_t word, View text) {
    Instruction i;
    i.number = kernel_.code.size();
    number_ = i.number;
    encoded_ = static_cast<std::uint32_t>(word >> 32);
    if (address != 16 * i.number) Stop(i.number, "a gap before it");
    text = Trimmed(text);
    i.guard = Parse("PT");
    if (TakeFront(&text, "@")) {
      i.guard = Parse(text.substr(0, text.find(' ')));
      text = Trimmed(text.substr(text.find(' ')));
    }
    const std::size_t end = std::min(text.find(' '), text.size());
    const View opcode = text.substr(0, end);
    FindHandler(opcode, &i);
    // A jump through a register names it and an offset without a comma.
    const bool jump = opcode == "BRX" || opcode.starts_with("RET");
    for (const View part : Split(text.substr(end), jump ? ' ' : ',')) {
      i.operands.push_back(Parse(part));
    }
    if (opcode == "VIADD") AddFrame(i);
    kernel_.code.push_back(std::move(i));
  }

  // Register 1 points to the top of the stack: a function lowers it by what it needs.
  void AddFrame(const Instruction& i) {
    constexpr int kTop = 1;
    if (i.operands[0].index != kTop || i.operands[1].index != kTop) return;
    const auto by = static_cast<std::int32_t>(i.operands[2].number);
    if (by < 0) kernel_.stack_bytes -= static_cast<std::size_t>(std::int64_t{by});
  }

  // The entry with the longest part of the opcode; what is left are its modifiers.
  void FindHandler(View opcode, Instruction* i) {
    static const Table table = MakeTable();
    std::string name(opcode);
    auto found = table.find(name);
    while (found == table.end() && name.find('.') != std::string::npos) {
      name.resize(name.rfind('.'));
      found = table.find(name);
    }
    if (found == table.end()) Stop(number_, "unknown instruction '" + std::string(opcode) + "'");
    i->run = found->second.run;
    for (const View modifier : Split(opcode.substr(name.size()), '.')) {
      const std::string padded = " " + std::string(modifier) + " ";
      if (found->second.modifiers.find(padded) == std::string::npos) {
        Stop(number_, "unknown instruction '" + std::string(opcode) + "'");
      }
    }
    for (const View part : Split(opcode, '.')) Modify(part, i);
  }

  static void Modify(View modifier, Instruction* i) {
    static const std::map<View, std::uint8_t> comparisons = {
        {"LT", kLess},
        {"EQ", kEqual},
        {"LE", kLess | kEqual},
        {"GT", kGreater},
        {"NE", kLess | kGreater},
        {"GE", kGreater | kEqual},
        {"NUM", kLess | kEqual | kGreater},
        {"NAN", kUnordered},
        {"LTU", kUnordered | kLess},
        {"EQU", kUnordered | kEqual},
        {"LEU", kUnordered | kLess | kEqual},
        {"GTU", kUnordered | kGreater},
        {"NEU", kUnordered | kLess | kGreater},
        {"GEU", kUnordered | kGreater | kEqual}};
    static const std::map<View, std::uint8_t> widths = {{"64", 8}, {"128", 16}, {"U8", 1},
                                                        {"S8", 1}, {"U16", 2},  {"S16", 2}};
    if (const auto found = comparisons.find(modifier); found != comparisons.end()) {
      i->accepts = found->second;
    }
    if (const auto found = widths.find(modifier); found != widths.end()) i->bytes = found->second;
    if (modifier == "OR") i->combine = Combine::kOr;
    if (modifier == "XOR") i->combine = Combine::kXor;
    if (modifier == "U32") i->is_unsigned = true;
    if (modifier == "S8" || modifier == "S16") i->is_signed = true;
    if (modifier == "X" || modifier == "EX") i->extends = true;
  }

  Operand Parse(View s) const {
    Operand o;
    TakeBack(&s, ".reuse");
    if (TakeFront(&s, "desc[")) s.remove_prefix(s.find(']') + 1);
    if (s.starts_with("[")) {
      o.kind = Kind::kMemory;
      ParseSum(s, &o);
      return o;
    }
    if (TakeNumber(s, &o)) return o;
    o.inverted = TakeFront(&s, "!") || TakeFront(&s, "~");
    o.negative = TakeFront(&s, "-");
    o.absolute = TakeFront(&s, "|") && TakeBack(&s, "|");
    if (TakeFront(&s, "c[")) {
      o.kind = Kind::kConstant;
      o.bank = std::stoi(std::string(s), nullptr, 16);
      ParseSum(s.substr(s.find('[')), &o);
      return o;
    }
    if (!TakeRegister(s, &o)) Stop(number_, "unknown operand '" + std::string(s) + "'");
    return o;
  }

  static bool TakeRegister(View s, Operand* o) {
    const auto is = [&](Kind kind, View letters, View zero, int index_of_zero) {
      o->kind = kind;
      return TakeName(s, letters, zero, index_of_zero, &o->index);
    };
    if (is(Kind::kRegister, "R", "RZ", kZero) || is(Kind::kUniform, "UR", "URZ", kUniformZero) ||
        is(Kind::kPredicate, "P", "PT", kTrue) || is(Kind::kUniformPredicate, "UP", "UPT", kTrue) ||
        is(Kind::kBarrier, "B", "", 16)) {
      return true;
    }
    static const std::map<View, Special> specials = {{"SRZ", Special::kNothing},
                                                     {"PR", Special::kPredicates},
                                                     {"SR_TID.X", Special::kThread},
                                                     {"SR_CTAID.X", Special::kBlock}};
    const auto found = specials.find(s);
    if (found == specials.end()) return false;
    o->kind = Kind::kSpecial;
    o->special = found->second;
    return true;
  }

  // Hexadecimal numbers are integers; others are what the encoding has.
  bool TakeNumber(View s, Operand* o) const {
    const bool named = s == "INF" || s == "-INF" || s == "+INF" || s == "+QNAN" || s == "-QNAN";
    const View digits = s.substr(s.starts_with("-") ? 1 : 0);
    if (!named && (digits.empty() || std::isdigit(digits[0]) == 0)) return false;
    o->kind = Kind::kNumber;
    o->number = o->encoded = encoded_;
    if (TakeHex(s, &o->offset)) o->number = static_cast<std::uint32_t>(o->offset);
    return true;
  }

  // Of registers and a number: [R2.64+UR4+0x10].
  void ParseSum(View s, Operand* o) const {
    o->index = kZero;
    const std::size_t end = s.find(']');
    for (View part : Split(s.substr(1, end - 1), '+')) {
      if (TakeHex(part, &o->offset)) continue;
      if (part.starts_with("R") && TakeBack(&part, ".64")) o->wide = true;
      if (TakeName(part, "R", "RZ", kZero, &o->index)) continue;
      if (TakeName(part, "UR", "URZ", kUniformZero, &o->uniform)) continue;
      Stop(number_, "unknown address '" + std::string(s) + "'");
    }
  }

  Kernel kernel_;
  std::vector<Address> addresses_;
  std::size_t number_ = 0;     // of the instruction that is read
  std::uint32_t encoded_ = 0;  // its upper half
};

}  // namespace

Kernel Read(const std::string& listing) { return Reader(listing).Take(); }

}  // namespace stand_in::sass
