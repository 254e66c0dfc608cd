// `intervox fit`: JSON, the table, what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli_call.h"

namespace intervox {
namespace {

std::string Bounces(const fs::path& folder) {
  std::ostringstream text;
  text << "approach_speed,rebound_speed\n";
  for (int k = 1; k <= 10; ++k)
    text << 0.1 * k << "," << 0.06 * k + (k % 2 == 0 ? 1 : -1) * 1e-3 << "\n";
  return Write(folder / "bounces.csv", text.str());
}

TEST(Cli, FitJsonAndTable) {
  const std::string file = Bounces(Folder("fit"));
  const Outcome json = Call("fit " + file + " --model restitution --json", false);
  EXPECT_EQ(json.status, 0);
  const auto e = nlohmann::json::parse(json.text)["parameters"]["restitution"];
  EXPECT_NEAR(e["value"].get<double>(), 0.6, 2e-3);
  EXPECT_LT(e["low"].get<double>(), 0.6);
  EXPECT_GT(e["high"].get<double>(), 0.6);
  EXPECT_EQ(e["unit"], "1");
  const Outcome table = Call("fit " + file + " --model restitution");
  EXPECT_EQ(table.status, 0);
  EXPECT_NE(table.text.find("restitution of 10 rows"), std::string::npos) << table.text;
  EXPECT_NE(table.text.find("95 % from"), std::string::npos) << table.text;
}

TEST(Cli, FitRefusesWhatItCannotFit) {
  const std::string file = Bounces(Folder("fit_bad"));
  const auto expect = [&](const std::string& arguments, const std::string& part) {
    const Outcome outcome = Call("fit " + arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.text;
    EXPECT_NE(outcome.text.find(part), std::string::npos) << outcome.text;
  };
  expect(file + " --model bounce", "Use one of: force_depth");
  expect(file + " --model ringing", "has no column \"time\"");
  expect(file, "--model");
  expect(file + ".none --model restitution", "cannot be read");
  expect(file + " --model restitution --gravity 0", "from 1e-06");
}

}  // namespace
}  // namespace intervox
