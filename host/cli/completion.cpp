#include "host/cli/completion.h"

#include <fmt/format.h>

#include <vector>

namespace intervox::cli {
namespace {

std::vector<const CLI::App*> Commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> Options(const CLI::App& app) {
  return app.get_options([](const CLI::Option*) { return true; });
}

/** An option's names with their dashes; none for a positional. */
std::vector<std::string> Names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/** The words that an option may be given, as CLI11 lists them in its type: TEXT:{a,b}. */
std::string WordsOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return "";
  std::string words = type.substr(open + 1, close - open - 1);
  for (char& c : words) c = c == ',' ? ' ' : c;
  return words;
}

/** Text within single quotes of a zsh specification. */
std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

/** The case of one command in bash: words after options that have them, else its options. */
std::string BashCase(const CLI::App& command) {
  std::string options, after;
  for (const CLI::Option* option : Options(command)) {
    const std::vector<std::string> names = Names(*option);
    if (names.empty()) {
      if (const std::string words = WordsOf(*option); !words.empty()) options += " " + words;
      continue;
    }
    options += fmt::format(" {}", fmt::join(names, " "));
    if (!TakesValue(*option)) continue;
    after += fmt::format("        {}) words='{}' ;;\n", fmt::join(names, "|"), WordsOf(*option));
  }
  return fmt::format("    {})\n      words='{}'\n      case $previous in\n{}      esac ;;\n",
                     command.get_name(), options.empty() ? options : options.substr(1), after);
}

/** The lines of one command for zsh's _arguments. */
std::string ZshCase(const CLI::App& command) {
  std::string lines;
  for (const CLI::Option* option : Options(command)) {
    const std::string words = WordsOf(*option);
    const std::string action = words.empty() ? "_files" : "(" + words + ")";
    const std::vector<std::string> names = Names(*option);
    if (names.empty()) {
      lines += fmt::format(" \\\n        '::{}:{}'", Escaped(option->get_name()), action);
    }
    for (const std::string& name : names) {
      lines += fmt::format(" \\\n        '{}[{}]{}'", name, Escaped(option->get_description()),
                           TakesValue(*option) ? ":value:" + action : "");
    }
  }
  return fmt::format("    {})\n      _arguments{} ;;\n", command.get_name(), lines);
}

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : Commands(app)) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    cases += BashCase(*command);
  }
  return fmt::format(
      R"(# Completion of `intervox` for bash, written by `intervox completion bash`.
_intervox() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{0} --help --version' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{1}  esac
  # Options are offered where one is begun, else words only; without any, bash offers files.
  local word kept=
  for word in $words; do
    [[ $word == -* && $current != -* ]] || kept+=" $word"
  done
  COMPREPLY=($(compgen -W "$kept" -- "$current"))
}}
complete -o default -F _intervox intervox
)",
      commands, cases);
}

std::string ZshCompletion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : Commands(app)) {
    commands +=
        fmt::format("      '{}:{}'\n", command->get_name(), Escaped(command->get_description()));
    cases += ZshCase(*command);
  }
  return fmt::format(
      R"(#compdef intervox
# Completion of `intervox` for zsh, written by `intervox completion zsh`.
_intervox() {{
  local -a commands
  if ((CURRENT == 2)); then
    commands=(
{0}    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{1}  esac
}}
# A file of this name in $fpath is called where it completes; a file that is sourced names it first.
if [[ $funcstack[1] == _intervox ]]; then _intervox "$@"; else compdef _intervox intervox; fi
)",
      commands, cases);
}

}  // namespace intervox::cli
