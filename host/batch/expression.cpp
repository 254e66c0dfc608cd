#include "host/batch/expression.h"

#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <list>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "host/batch/quantity.h"
#include "host/input/nearest.h"

namespace intervox::host {
namespace {

constexpr const char* kPeak = "peak_force";
constexpr const char* kMaximum = "max_over_time";
constexpr const char* kMinimum = "min_over_time";
/** Deepest nesting of brackets; muParser and Expression recur. */
constexpr int kMaxNesting = 50;

/** Words of other languages, and what stands for them. */
constexpr std::pair<const char*, const char*> kSigns[] = {
    {"and", "&&"}, {"or", "||"}, {"not", "!"}, {"true", "1"}, {"false", "0"}};

bool IsWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

double Not(double x) { return x == 0 ? 1.0 : 0.0; }

/** Reads a text from left to right. */
class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) {}

  bool Done() const { return at_ >= text_.size(); }
  char Peek() const { return Done() ? '\0' : text_[at_]; }
  char Take() { return text_[at_++]; }

  void SkipBlanks() {
    while (!Done() && std::isspace(static_cast<unsigned char>(Peek())) != 0) ++at_;
  }
  std::string Word() {
    const std::size_t begin = at_;
    while (IsWord(Peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /** A number, so that the e of 1e-3 is not taken for a word. */
  std::string Number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      while (std::isdigit(static_cast<unsigned char>(Peek())) != 0 || Peek() == '.') ++at_;
    };
    digits();
    if (Peek() == 'e' || Peek() == 'E') {
      ++at_;
      if (Peek() == '+' || Peek() == '-') ++at_;
      digits();
    }
    return text_.substr(begin, at_ - begin);
  }
  /** What stands between two brackets, the first of which is next; nothing where there is none. */
  std::optional<std::string> Bracketed(char open, char close) {
    SkipBlanks();
    if (Peek() != open) return std::nullopt;
    const std::size_t begin = at_ + 1;
    int depth = 0;
    do {
      if (Done()) {
        throw std::invalid_argument(std::string("a '") + open + "' is never closed. Close it.");
      }
      depth += Peek() == open ? 1 : Peek() == close ? -1 : 0;
      ++at_;
    } while (depth > 0);
    return text_.substr(begin, at_ - 1 - begin);
  }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

std::string Trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/** Whether the last thing that a formula does is to compare, or to combine truths: comparisons bind
 looser than arithmetic, so one outside of all brackets is the last but for `? :`. */
bool IsTruth(const std::string& formula) {
  const std::string text = Trimmed(formula);
  int depth = 0;
  bool compares = false, whole = text.starts_with('(');
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && k + 1 < text.size()) whole = false;
    if (depth > 0) continue;
    if (c == '?') return false;
    compares = compares || std::string("<>=&|").find(c) != std::string::npos;
  }
  if (compares) return true;
  if (whole) return IsTruth(text.substr(1, text.size() - 2));
  if (!text.starts_with('!')) return false;
  return text.find_first_of("+-*/^", 1) == std::string::npos || text[1] == '(';
}

void RequireSane(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > kMaxNesting) {
      throw std::invalid_argument("brackets are nested deeper than " + std::to_string(kMaxNesting) +
                                  ". Write it flatter.");
    }
  }
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '=') continue;
    if (k + 1 < text.size() && text[k + 1] == '=') {
      ++k;
    } else if (k == 0 || std::string("<>!").find(text[k - 1]) == std::string::npos) {
      throw std::invalid_argument("'=' compares nothing. Write == for equal.");
    }
  }
}

/** A number and a word side by side: mostly a unit, or an operator that is not one. */
[[noreturn]] void RefuseUnit(const std::string& number, const std::string& word) {
  for (const auto& [spelt, sign] : kSigns) {
    if (word != spelt) continue;
    throw std::invalid_argument("'" + word + "' is no word here. Write " + sign + " instead.");
  }
  throw std::invalid_argument("'" + number + " " + word +
                              "' is no number. Leave units out: metres, kilograms, seconds, "
                              "newtons, radians. Write * to multiply.");
}

}  // namespace

struct Expression::Implementation {
  struct Variable {
    Quantity quantity;
    double value = 0.0;
  };
  struct OverTime {
    Expression inner;
    bool largest = true;
    double value = 0.0;
  };

  /** Makes a variable of the parser and returns its name. */
  std::string Define(double* value) {
    std::string name = "q" + std::to_string(count++) + "_";
    parser.DefineVar(name, value);
    return name;
  }
  std::string Define(Quantity quantity) {
    variables.push_back({std::move(quantity)});
    return Define(&variables.back().value);
  }
  std::string DefineOverTime(const std::string& text, bool largest, const Scene& scene) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    over_time.push_back({Expression(text, scene), largest, largest ? -kInfinity : kInfinity});
    return Define(&over_time.back().value);
  }

  std::string Argument(const std::string& word, Scanner& scan) const {
    const auto argument = scan.Bracketed('(', ')');
    if (!argument || Trimmed(*argument).empty()) {
      throw std::invalid_argument("'" + word + "' asks of nothing. Write " + word + "(" +
                                  (word == kMaximum || word == kMinimum ? "EXPRESSION" : "BODY") +
                                  ").");
    }
    return Trimmed(*argument);
  }

  /** What stands for `word(argument)[index]` in the formula. */
  std::string OfBody(const std::string& word, Scanner& scan, const Scene& scene) {
    const std::string name = Argument(word, scan);
    const auto bracket = scan.Bracketed('[', ']');
    int index = -1;
    if (bracket) {
      const std::string digits = Trimmed(*bracket);
      const bool one = digits.size() == 1 && digits[0] >= '0' && digits[0] <= '9';
      index = one ? digits[0] - '0' : 99;
    }
    if (word != kPeak) return Define(BodyQuantity(word, name, index, scene));
    BodyQuantity("force", name, index, scene);  // says what is wrong
    const std::string of = "(" + name + ")";
    if (index < 0) return DefineOverTime("force" + of, true, scene);
    return DefineOverTime("abs(force" + of + "[" + std::to_string(index) + "])", true, scene);
  }

  std::string Translate(const std::string& text, const Scene& scene) {
    std::string formula;
    Scanner scan(text);
    while (!scan.Done()) {
      const char c = scan.Peek();
      if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
        const std::string number = scan.Number();
        scan.SkipBlanks();
        if (IsWordStart(scan.Peek())) RefuseUnit(number, scan.Word());
        formula += number;
        continue;
      }
      if (!IsWordStart(c)) {
        formula += scan.Take();
        continue;
      }
      const std::string word = scan.Word();
      if (word == kMaximum || word == kMinimum) {
        formula += DefineOverTime(Argument(word, scan), word == kMaximum, scene);
      } else if (word == kPeak || AsksOfBody(word)) {
        formula += OfBody(word, scan, scene);
      } else if (const auto quantity = SceneQuantity(word)) {
        formula += Define(*quantity);
      } else {
        RequireKnown(word);
        formula += word;
      }
    }
    return formula;
  }

  void RequireKnown(const std::string& word) const {
    if (parser.GetFunDef().contains(word) || parser.GetConst().contains(word)) return;
    for (const auto& [spelt, sign] : kSigns) {
      if (word != spelt) continue;
      throw std::invalid_argument("'" + word + "' is no word here. Write " + sign + " instead.");
    }
    std::vector<std::string> names = QuantityNames();
    names.insert(names.end(), {kPeak, kMaximum, kMinimum});
    for (const auto& [name, function] : parser.GetFunDef()) names.push_back(name);
    throw std::invalid_argument("'" + word + "' is unknown. " + Suggest(word, names));
  }

  /** A truth's largest value tells whether it ever held. */
  bool IsExtremeOfTruths(const std::string& formula) const {
    return count == 1 && over_time.size() == 1 && Trimmed(formula) == "q0_" &&
           over_time.front().inner.boolean();
  }

  mu::Parser parser;
  std::list<Variable> variables;  // the parser points to their values
  std::list<OverTime> over_time;
  int count = 0;
  bool boolean = false;
};

Expression::Expression(const std::string& text, const Scene& scene)
    : implementation_(std::make_unique<Implementation>()) {
  Implementation& self = *implementation_;
  if (Trimmed(text).empty()) throw std::invalid_argument("it is empty. Write an expression.");
  RequireSane(text);
  self.parser.DefineInfixOprt("!", Not);
  const std::string formula = self.Translate(text, scene);
  self.boolean = IsTruth(formula) || self.IsExtremeOfTruths(formula);
  try {
    self.parser.SetExpr(formula);
    self.parser.Eval();
    if (self.parser.GetNumResults() != 1) {
      throw std::invalid_argument("it has several values. Remove the comma.");
    }
  } catch (const mu::ParserError& error) {
    throw std::invalid_argument("cannot be read (" + error.GetMsg() +
                                "). Check operators and brackets.");
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

bool Expression::boolean() const { return implementation_->boolean; }

void Expression::Watch(const Simulation& simulation) {
  for (Implementation::OverTime& o : implementation_->over_time) {
    o.inner.Watch(simulation);
    const double now = o.inner.Value(simulation);
    o.value = o.largest ? std::fmax(o.value, now) : std::fmin(o.value, now);
  }
}

double Expression::Value(const Simulation& simulation) {
  for (Implementation::Variable& v : implementation_->variables) v.value = v.quantity(simulation);
  return implementation_->parser.Eval();
}

}  // namespace intervox::host
