#include "host/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/cli.h"
#include "host/cli/completion.h"
#include "host/cli/version.h"
#include "host/input/error.h"
#include "host/input/nearest.h"

namespace intervox::cli {
namespace {

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

bool Knows(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = CommandNames(app);
  return std::find(names.begin(), names.end(), word) != names.end();
}

[[noreturn]] void FailUnknown(const CLI::App& app, const std::string& word) {
  throw host::InputError("command line: '" + word + "': there is no such command. " +
                         host::Suggest(word, CommandNames(app)) + " 'intervox help' lists all.");
}

}  // namespace

void AddHelp(CLI::App& app, int& status) {
  const auto word = std::make_shared<std::string>();
  CLI::App* help = app.add_subcommand("help", "Say what there is, or what a command takes");
  CLI::Option* of = help->add_option("command", *word, "The command that is told of");
  help->callback([&app, &status, word] {
    if (!word->empty() && !Knows(app, *word)) FailUnknown(app, *word);
    const CLI::App* command = word->empty() ? &app : app.get_subcommand(*word);
    // App::help would tell of the command that is being called, which is this one.
    const std::string name = app.get_name() + (word->empty() ? "" : " " + *word);
    std::cout << app.get_formatter()->make_help(command, name, CLI::AppFormatMode::Normal);
    status = kDone;
  });

  CLI::App* version = app.add_subcommand("version", "Say which version this is");
  version->callback([&status] {
    std::cout << VersionText() << '\n';
    status = kDone;
  });

  const auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand("completion", "Print a completion script for a shell");
  completion->add_option("shell", *shell, "Shell: source <(intervox completion bash)")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"bash", "zsh"}));
  completion->callback([&app, &status, shell] {
    std::cout << (*shell == "bash" ? BashCompletion(app) : ZshCompletion(app));
    status = kDone;
  });
  // Listed as the words of a check are; a misspelt one gets a better message than a check's.
  of->type_name(fmt::format("TEXT:{{{}}}", fmt::join(CommandNames(app), ",")));
}

void RequireKnownCommand(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-' || Knows(app, argv[1])) return;
  FailUnknown(app, argv[1]);
}

}  // namespace intervox::cli
