#include "host/cli/validation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "host/cli/drawing.h"
#include "host/cli/progress.h"
#include "host/cli/version.h"
#include "host/input/error.h"

namespace intervox::cli {
namespace {

namespace fs = std::filesystem;

/** A row's numbers, or why it came to none. */
struct RowOutcome {
  std::vector<host::Check> checks;
  std::vector<host::Figure> figures;
  std::string error;
  double seconds = 0.0;

  bool Passes() const {
    return error.empty() && std::all_of(checks.begin(), checks.end(),
                                        [](const host::Check& check) { return check.Passes(); });
  }
};

RowOutcome RunRow(const host::Row& row, const RowOptions& options,
                  const std::function<void(double)>& told) {
  RowOutcome outcome;
  const auto start = std::chrono::steady_clock::now();
  try {
    outcome.checks = row.run({options.scenes / row.scene, options.edits, told, &outcome.figures});
  } catch (const host::InputError&) {
    throw;
  } catch (const std::runtime_error& error) {
    outcome.error = error.what();
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

const char* Verdict(bool passes) { return passes ? "pass" : "FAIL"; }

/** A text of UTF-8's width on a terminal. */
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string WithUnit(const host::Check& check) {
  return check.unit == "1" ? check.quantity : check.quantity + " [" + check.unit + "]";
}

void Print(const std::vector<host::Row>& rows, const std::vector<RowOutcome>& outcomes) {
  std::size_t widest = 0;
  for (const RowOutcome& outcome : outcomes) {
    for (const host::Check& check : outcome.checks) {
      widest = std::max(widest, Width(WithUnit(check)));
    }
  }
  const auto line = [&](const std::string& row, const std::string& quantity,
                        const std::string& numbers) {
    const std::size_t blanks = widest - std::min(widest, Width(quantity));
    std::cout << fmt::format("{:<23} {}{} {}\n", row, quantity, std::string(blanks, ' '), numbers);
  };
  line("row", "quantity",
       fmt::format("{:>13} {:>13} {:>9} {}", "expected", "obtained", "tolerance", "verdict"));
  std::size_t passed = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const host::Check& check : outcomes[r].checks) {
      line(rows[r].name, WithUnit(check),
           fmt::format("{:>13.7g} {:>13.7g} {:>9.2g} {}", check.expected, check.obtained,
                       check.tolerance, Verdict(check.Passes())));
    }
    if (!outcomes[r].error.empty()) {
      std::cout << fmt::format("{:<23} {}: {}\n", rows[r].name, Verdict(false), outcomes[r].error);
    }
    if (outcomes[r].Passes()) ++passed;
  }
  std::cout << fmt::format("{} of {} rows pass\n", passed, rows.size());
}

nlohmann::ordered_json Json(const host::Figure& figure) {
  nlohmann::ordered_json curves = nlohmann::ordered_json::array();
  for (const host::Curve& curve : figure.curves) {
    curves.push_back(
        {{"label", curve.label}, {"reference", curve.reference}, {"x", curve.x}, {"y", curve.y}});
  }
  return {{"title", figure.title},
          {"x", figure.x},
          {"y", figure.y},
          {"log_x", figure.log_x},
          {"curves", curves}};
}

nlohmann::ordered_json Json(const std::vector<host::Row>& rows,
                            const std::vector<RowOutcome>& outcomes, bool with_figures) {
  nlohmann::ordered_json all = {{"schema", "intervox/validation/1"},
                                {"program_version", VersionText()}};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    nlohmann::ordered_json checks = nlohmann::ordered_json::array();
    for (const host::Check& check : outcomes[r].checks) {
      checks.push_back({{"quantity", check.quantity},
                        {"unit", check.unit},
                        {"expected", check.expected},
                        {"obtained", check.obtained},
                        {"tolerance", check.tolerance},
                        {"why", check.why},
                        {"passes", check.Passes()}});
    }
    all["rows"].push_back({{"name", rows[r].name},
                           {"source", rows[r].source},
                           {"scene", rows[r].scene},
                           {"seconds", outcomes[r].seconds},
                           {"error", outcomes[r].error},
                           {"passes", outcomes[r].Passes()},
                           {"checks", checks}});
    if (!with_figures) continue;
    nlohmann::ordered_json& figures = all["rows"].back()["figures"];
    figures = nlohmann::ordered_json::array();
    for (const host::Figure& figure : outcomes[r].figures) figures.push_back(Json(figure));
  }
  return all;
}

/** Writes what the page is drawn of, and has it drawn. */
void Report(const std::vector<host::Row>& rows, const std::vector<RowOutcome>& outcomes,
            const fs::path& folder) {
  std::ofstream file(folder / "validation.json");
  file << Json(rows, outcomes, true).dump(1) << '\n';
  file.close();
  if (!file) {
    throw std::runtime_error(folder.string() +
                             ": --report: cannot be written to. Name a folder that can.");
  }
  if (Draw("validation_report.py", {folder.string()}) != 0) {
    throw std::runtime_error(folder.string() + ": --report: the page could not be drawn.");
  }
}

}  // namespace

bool RunRows(const std::vector<host::Row>& rows, const RowOptions& options) {
  std::vector<RowOutcome> outcomes;
  {
    double whole = 0.0;
    for (const host::Row& row : rows) whole += row.simulated;
    Progress progress(0.0, whole, options.quiet ? 0.0 : kProgressSeconds);
    double begin = 0.0;
    for (const host::Row& row : rows) {
      double passed = 0.0;
      const auto told = [&](double dt) {
        passed = std::min(passed + dt, row.simulated);
        progress.Show(begin + passed);
      };
      outcomes.push_back(RunRow(row, options, told));
      begin += row.simulated;
    }
  }
  if (options.json) {
    std::cout << Json(rows, outcomes, false).dump(2) << '\n';
  } else {
    Print(rows, outcomes);
  }
  std::cout.flush();
  if (!options.report.empty()) Report(rows, outcomes, options.report);
  return std::all_of(outcomes.begin(), outcomes.end(),
                     [](const RowOutcome& outcome) { return outcome.Passes(); });
}

}  // namespace intervox::cli
