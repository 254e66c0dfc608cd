// `intervox validate`: makes a scene ready as `run` does, and simulates nothing.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/world/world.h"

namespace intervox::cli {

void AddValidate(CLI::App& app, int& status) {
  struct Options {
    std::string file;
    std::vector<std::string> overrides;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("validate", "Say whether a scene could be run");
  command->add_option("file", options->file, "Scene file, intervox/scene/2 or 1; -: standard input")
      ->required();
  command->add_option("--set", options->overrides, "Edit of the scene, path=value")
      ->expected(1)
      ->take_all();
  command->callback([options, &status] {
    RequireKind(options->file, "validate", {FileKind::kScene});
    const auto world = host::MakeWorld(LoadScene(options->file, options->overrides));
    for (const std::string& warning : world->warnings) {
      std::cerr << "intervox: warning: " << warning << '\n';
    }
    std::size_t cells = 0;
    for (const auto& of_body : world->cells) cells += of_body.size();
    std::cout << fmt::format("{}: valid: {} bodies, {} free; {} cells; {} kinds of contact\n",
                             options->file, world->start.size(), world->free_bodies.size(), cells,
                             world->rules.All().size());
    status = kDone;
  });
}

}  // namespace intervox::cli
