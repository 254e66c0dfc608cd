// The executable `intervox`: its subcommands, and the only place that prints or exits.
#include <csignal>
#include <exception>
#include <iostream>
#include <sstream>

#include "host/cli/batch_command.h"
#include "host/cli/cli.h"
#include "host/cli/help.h"
#include "host/cli/progress.h"
#include "host/cli/render_command.h"
#include "host/cli/validators.h"
#include "host/cli/version.h"
#include "host/input/error.h"
#include "host/input/printable.h"

int main(int argc, char** argv) {
  using namespace intervox;       // NOLINT(google-build-using-namespace): local to main
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on files' sizes is an error of the write, no crash
  CLI::App app{"Contact dynamics from volumes of interference.", "intervox"};
  app.set_version_flag("--version", cli::VersionText());
  app.require_subcommand(1);
  int status = cli::kDone;
  cli::UseFileReaders();
  cli::ShowGrids(true);
  cli::AddRun(app, status);
  cli::AddValidate(app, status);
  cli::AddMetrics(app, status);
  cli::AddOverlaps(app, status);
  cli::AddDistance(app, status);
  cli::AddFit(app, status);
  cli::AddSettle(app, status);
  cli::AddInsertionForce(app, status);
  cli::AddInfo(app, status);
  cli::AddExport(app, status);
  cli::AddRasterize(app, status);
  cli::AddMesh(app, status);
  cli::AddRender(app, status);
  cli::AddStudy(app, status);
  cli::AddBatch(app, status);
  cli::AddReport(app, status);
  cli::AddHelp(app, status);
  cli::RefuseStandardOutput(app);
  try {
    cli::RequireKnownCommand(app, argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream message;
    if (app.exit(error, std::cout, message) == 0) return cli::kDone;
    std::cerr << "intervox: command line: " << host::PrintableMessage(message.str());
    return cli::kBadInput;
  } catch (const host::InputError& error) {
    std::cerr << "intervox: " << host::PrintableMessage(error.what()) << '\n';
    return cli::kBadInput;
  } catch (const std::bad_alloc&) {
    std::cerr << "intervox: out of memory. Use fewer cells or a larger tolerance.\n";
    return cli::kFailed;
  } catch (const std::exception& error) {
    std::cerr << "intervox: " << host::PrintableMessage(error.what()) << '\n';
    return cli::kFailed;
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "intervox: standard output: cannot be written. Is the disk full?\n";
    return cli::kFailed;
  }
  return status;
}
