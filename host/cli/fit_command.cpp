// `intervox fit`: parameters of contact laws from measurements, with confidence intervals.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/cli/validators.h"
#include "host/fit/fit.h"

namespace intervox::cli {
namespace {

struct FitArguments {
  std::string file;
  std::string model;
  host::FitConditions conditions;
  bool json = false;
};

void PrintJson(const std::string& model, const host::Fit& fit) {
  nlohmann::ordered_json j;
  j["model"] = model;
  for (const host::FittedParameter& p : fit.parameters) {
    j["parameters"][p.name] = {
        {"value", p.value}, {"low", p.low}, {"high", p.high}, {"unit", p.unit}};
  }
  j["deviation"] = fit.deviation;
  j["points"] = fit.points;
  std::cout << j.dump(2) << "\n";
}

void PrintTable(const std::string& model, const host::Fit& fit) {
  std::cout << fmt::format("{} of {} rows, standard deviation {:.4g}\n", model, fit.points,
                           fit.deviation);
  std::cout << fmt::format("{:<18} {:>14} {:>14} {:>14}  {}\n", "parameter", "value", "95 % from",
                           "to", "unit");
  for (const host::FittedParameter& p : fit.parameters) {
    std::cout << fmt::format("{:<18} {:>14.8g} {:>14.8g} {:>14.8g}  {}\n", p.name, p.value, p.low,
                             p.high, p.unit);
  }
}

int RunFit(const FitArguments& options) {
  RequireKind(options.file, "fit", {}, "measurements as CSV");
  const host::Fit fit =
      host::FitModel(options.model, host::ReadMeasurements(options.file), options.conditions);
  if (options.json) {
    PrintJson(options.model, fit);
  } else {
    PrintTable(options.model, fit);
  }
  return kDone;
}

std::string ModelNames() {
  std::string names;
  for (const host::FitModelEntry& entry : host::FitModels()) {
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

}  // namespace

void AddFit(CLI::App& app, int& status) {
  const auto options = std::make_shared<FitArguments>();
  CLI::App* command =
      app.add_subcommand("fit", "Fit parameters of contact laws to measurements in a CSV file");
  command->add_option("file", options->file, "CSV: names of columns, then numbers in SI units")
      ->required();
  command->add_option("--model", options->model, "One of: " + ModelNames())->required();
  command->add_option("--load", options->conditions.load, "Normal force of a pull [N]")
      ->check(InRange(0, 1e12));
  command
      ->add_option("--gravity", options->conditions.gravity,
                   "That presses the part which rings [m/s^2]; default 9.81")
      ->check(InRange(1e-6, 1e6));
  command->add_flag("--json", options->json, "JSON in full precision");
  command->callback([options, &status] { status = RunFit(*options); });
}

}  // namespace intervox::cli
