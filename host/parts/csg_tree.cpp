#include "host/parts/csg_tree.h"

#include <algorithm>

#include "host/input/place.h"
#include "host/parts/words.h"

namespace intervox::host {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '.';
}

/** Recursive descent over the text; the depth is bounded. */
class Parser {
 public:
  explicit Parser(const PartFile& file) : file_(file), text_(file.bytes) {}

  CsgCall File() {
    CsgCall root{"union", 1, {}, {}};
    while (Skip(), at_ < text_.size()) Statement(&root.children, 0);
    return root;
  }

 private:
  [[noreturn]] void Fail(const std::string& what, const std::string& remedy) const {
    FailAt({file_.name, line_}, "", "part", what + ". " + remedy);
  }

  [[noreturn]] void FailAtWord(const std::string& expected) {
    std::size_t end = at_;
    while (end < text_.size() && IsLetter(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, std::max<std::size_t>(end - at_, 1));
    Fail("expected " + expected + ", found " + Shown(word),
         "Write the file with 'openscad -o part.csg part.scad'.");
  }

  /** Goes on to what is neither blank nor comment. */
  void Skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (EndsLine(text_, at_)) ++line_;
      if (c == '/' && text_.substr(at_, 2) == "//") {
        at_ = EndOfLine(text_, at_);
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool Take(char c) {
    Skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void Require(char c) {
    if (!Take(c)) FailAtWord(std::string("'") + c + "'");
  }

  std::string_view Word() {
    Skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsLetter(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void Enter(int depth) {
    if (depth > kMostCsgDepth) {
      Fail("nested deeper than " + std::to_string(kMostCsgDepth) + " levels", "Flatten it.");
    }
    if (++nodes_ > kMostCsgNodes) {
      Fail("more than " + std::to_string(kMostCsgNodes) + " values", "Split the file.");
    }
  }

  void Statement(std::vector<CsgCall>* into, int depth) {
    Enter(depth);
    bool is_left_out = false;
    for (;;) {
      if (Take('*') || Take('%')) {
        is_left_out = true;
      } else if (Take('!')) {
        Fail("'!' leaves out all but this shape", "Remove it, or what it leaves out.");
      } else if (!Take('#')) {
        break;
      }
    }
    CsgCall call;
    Skip();
    call.line = line_;
    call.name = Word();
    if (call.name.empty()) FailAtWord("the name of a shape");
    Require('(');
    while (!Take(')')) {
      Argument(&call, depth);
      if (!Take(',')) {
        Require(')');
        break;
      }
    }
    if (Take('{')) {
      while (!Take('}')) {
        if (Skip(), at_ >= text_.size()) FailAtWord("'}'");
        Statement(&call.children, depth + 1);
      }
      Take(';');
    } else {
      Require(';');
    }
    if (!is_left_out) into->push_back(std::move(call));
  }

  void Argument(CsgCall* call, int depth) {
    const std::size_t begin = at_;
    const int line = line_;
    const std::string key(Word());
    if (!key.empty() && Take('=')) {
      call->arguments.emplace_back(key, ReadValue(depth + 1));
      return;
    }
    at_ = begin;
    line_ = line;
    call->arguments.emplace_back("", ReadValue(depth + 1));
  }

  CsgValue ReadValue(int depth) {
    Enter(depth);
    CsgValue value;
    if (Take('[')) {
      value.kind = CsgValue::Kind::kList;
      while (!Take(']')) {
        value.items.push_back(ReadValue(depth + 1));
        if (!Take(',')) {
          Require(']');
          break;
        }
      }
      return value;
    }
    if (Take('"')) {
      while (at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        if (EndsLine(text_, at_)) ++line_;
        value.word += text_[at_++];
      }
      Require('"');
      return value;
    }
    Skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (IsLetter(text_[at_]) || text_[at_] == '-' || text_[at_] == '+')) {
      ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) FailAtWord("a value");
    if (ToNumber(word, &value.number)) {
      value.kind = CsgValue::Kind::kNumber;
    } else {
      value.word = word;
    }
    return value;
  }

  PartFile file_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int nodes_ = 0;
};

}  // namespace

const CsgValue* CsgCall::Find(const std::string& key) const {
  for (const auto& [name, value] : arguments) {
    if (name == key) return &value;
  }
  return nullptr;
}

CsgCall ParseCsg(const PartFile& file) { return Parser(file).File(); }

}  // namespace intervox::host
