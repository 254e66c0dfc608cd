// Batch files: what is drawn, what is refused, and with which words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "batch_files.h"
#include "host/batch/wilson.h"

namespace intervox::host {
namespace {

std::string Refusal(const std::string& rest) {
  const auto path = WriteBallBatch("refused", rest);
  try {
    LoadBatch(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string WithSample(const std::string& entry) {
  return "sample:\n  " + entry + "\noutcomes: {a: time}\n";
}

TEST(BatchInput, RefusesWithPlaceAndRemedy) {
  struct Case {
    std::string text;
    std::vector<std::string> words;
  };
  const std::vector<Case> cases = {
      {WithSample("bodies.bal.mass: {uniform: [1, 2]}"), {"batch.yaml:6", "'bal'", "'ball'"}},
      {WithSample("bodies.ball.mas: {uniform: [1, 2]}"), {"batch.yaml:6", "'mas'", "'mass'"}},
      {WithSample("bodies.ball.pose.position[3]: {uniform: [1, 2]}"), {"batch.yaml:6", "0 to 2"}},
      {WithSample("gravity[2]: {uniform: [-2, -1]}"), {"batch.yaml:6", "gravity", "[0, 0, 0]"}},
      {WithSample("bodies.ball.mass: {uniform: [2, 1]}"), {"batch.yaml:6", "smaller number first"}},
      {WithSample("bodies.ball.mass: {uniform: [2, 2]}"), {"batch.yaml:6", "constant: 2"}},
      {WithSample("bodies.ball.mass: {uniform: [-1, 1]}"), {"batch.yaml:6", "mass", "-1"}},
      {WithSample("bodies.ball.mass: {log_uniform: [0, 1]}"), {"batch.yaml:6", "log_uniform"}},
      {WithSample("bodies.ball.mass: {normal: {mean: 1, sigma: 0}}"), {"batch.yaml:6", "sigma"}},
      {WithSample("bodies.ball.mass: {normal: {mean: 1, sigma: -1}}"), {"batch.yaml:6", "sigma"}},
      {WithSample("bodies.ball.mass: {normal: {mean: 1, sigma: .nan}}"), {"batch.yaml:6", "sigma"}},
      {WithSample("bodies.ball.mass: {truncated_normal: {mean: 1, sigma: 0.1, range: [2, 3]}}"),
       {"batch.yaml:6", "range", "thousandth"}},
      {WithSample("bodies.ball.mass: {choice: []}"), {"batch.yaml:6", "choice", "at least 1"}},
      {WithSample("bodies.ball.mass: {choice: [1, heavy]}"), {"batch.yaml:6", "heavy"}},
      {WithSample("bodies.ball.mass: {gamma: [1, 2]}"), {"batch.yaml:6", "'gamma'", "normal"}},
      {WithSample("bodies.ball.mass: {same: bodies.ball.pose}"),
       {"batch.yaml:6", "not sampled", "Sample it"}},
      {WithSample("bodies.ball.mass: {uniform: [1 kg, 2 kg]}"),
       {"batch.yaml:6", "'1 kg'", "Leave the unit out"}},
      {WithSample("bodies.ball.mass: {choice: [0.5, 700 g]}"),
       {"batch.yaml:6", "'700 g'", "Leave the unit out"}},
      {WithSample("bodies.ball.pose: {constant: {position: [0, 0, 0.2], rpy_deg: [0, 0, 0]}}\n"
                  "  bodies.ball.pose.position[0]: {uniform: [-1, 1]}\n"
                  "  bodies.ball.pose.rpy_deg[1]: {same: \"bodies.ball.pose.position[0]\"}"),
       {"batch.yaml:8", "one is in degrees"}},
      {WithSample("bodies.ball.mass: {constant: 2}\n  integrator.step: {log_uniform: [1e-4, 3]}"),
       {"batch.yaml:7: integrator.step: with '3' the scene is refused", "ball.yaml", "Shorten"}},
      {"outcomes: {}\n", {"batch.yaml:5", "no outcome"}},
      {"outcomes: {\"a\\nb\": time}\n", {"batch.yaml:5", "cannot name a column"}},
      {"outcomes: {a: \"position(bal)[2]\"}\n", {"batch.yaml:5", "outcomes.a", "'bal'", "'ball'"}},
      {"outcomes: {a: \"positon(ball)[2]\"}\n", {"batch.yaml:5", "'positon'", "'position'"}},
      {"outcomes: {a: \"position(ball)[3]\"}\n", {"batch.yaml:5", "[0] to [2]"}},
      {"outcomes: {a: \"position[2]\"}\n", {"batch.yaml:5", "position(BODY)"}},
      {"outcomes: {a: \"time +\"}\n", {"batch.yaml:5", "cannot be read"}},
      {"outcomes: {a: \"time = 1\"}\n", {"batch.yaml:5", "=="}},
      {"outcomes: {a: \"time > 1 and contacts > 0\"}\n", {"batch.yaml:5", "'and'", "Write &&"}},
      {"outcomes: {a: \"contacts > 0 or true\"}\n", {"batch.yaml:5", "'or'", "Write ||"}},
      {"outcomes: {a: \"position(ball)[2] < 5 mm\"}\n", {"batch.yaml:5", "'5 mm'", "units out"}},
      {"outcomes: {a: \"5mm > position(ball)[2]\"}\n", {"batch.yaml:5", "'5 mm'", "units out"}},
      {"outcomes: {a: \"max_over_time(time\"}\n", {"batch.yaml:5", "never closed"}},
      {"outcomes: {a/b: time}\n", {"batch.yaml:5", "column"}},
      {"outcomes: {a: time}\nuntil: {outcome: a, interval: 0.1}\n", {"batch.yaml:6", "no rate"}},
      {"outcomes: {a: time}\nuntil: {outcome: b, interval: 0.1}\n", {"batch.yaml:6", "'b'"}},
      {"outcomes: {a: time}\nstop: {when: \"speed(bal)>1\"}\n", {"batch.yaml:6", "stop.when"}},
      {"outcomes: {a: time}\nnumbr: 3\n", {"batch.yaml:6", "'numbr'", "'number'"}},
      {"outcomes: {a: time}\nkeep: some\n", {"batch.yaml:6", "'some'"}},
  };
  for (const Case& c : cases) {
    const std::string message = Refusal(c.text);
    for (const std::string& word : c.words) {
      EXPECT_NE(message.find(word), std::string::npos) << c.text << "  gives: " << message;
    }
  }
}

TEST(BatchInput, RefusesANumberThatIsNotWholeAndAMissingScene) {
  const auto path = WriteBallBatch("missing", kBallSample);
  std::filesystem::remove(path.parent_path() / "ball.yaml");
  try {
    LoadBatch(path);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("relative to the batch file"), std::string::npos);
  }
  std::ofstream(path) << "schema: intervox/batch/1\nscene: ball.yaml\nnumber: 1.5\n" << kBallSample;
  std::ofstream(path.parent_path() / "ball.yaml") << BallScene();
  EXPECT_THROW(LoadBatch(path), InputError);
}

TEST(BatchInput, DrawsDependOnSeedRunAndPathAlone) {
  const Stream a{7, 3, PathHash("x")};
  EXPECT_EQ(UniformDraw(a, 0), UniformDraw(a, 0));
  const std::vector<Stream> others = {{8, 3, a.path}, {7, 4, a.path}, {7, 3, PathHash("y")}};
  for (const Stream& b : others) EXPECT_NE(UniformDraw(a, 0), UniformDraw(b, 0));
  EXPECT_NE(UniformDraw(a, 0), UniformDraw(a, 1));

  // Another entry before it, or after, changes nothing of an entry's draws.
  const Batch one = LoadBatch(WriteBallBatch(
      "one", "sample:\n  bodies.ball.mass: {uniform: [1, 3]}\noutcomes: {a: time}\n"));
  const Batch two =
      LoadBatch(WriteBallBatch("two",
                               "sample:\n  gravity: {constant: [0, 0, -9]}\n  gravity[2]: "
                               "{uniform: [-10, -9]}\n  bodies.ball.mass: {uniform: [1, 3]}\n"
                               "outcomes: {a: time}\n"));
  for (int k = 0; k < 20; ++k) EXPECT_EQ(DrawRun(one, k)[0].scalar, DrawRun(two, k)[2].scalar);
}

/** Kolmogorov's distance of 4,000 draws from a distribution function; 0.031 is exceeded by chance
 once in a thousand times. */
template <class Function>
double Distance(const std::string& distribution, const Function& cdf) {
  const Batch batch =
      LoadBatch(WriteBallBatch("cdf", "sample:\n  bodies.ball.pose.position[0]: {" + distribution +
                                          "}\noutcomes: {a: time}\n"));
  std::vector<double> x;
  constexpr int kCount = 4000;
  for (int k = 0; k < kCount; ++k) x.push_back(std::stod(DrawRun(batch, k)[0].scalar));
  std::sort(x.begin(), x.end());
  double distance = 0;
  for (int k = 0; k < kCount; ++k) {
    const double f = cdf(x[static_cast<std::size_t>(k)]);
    distance = std::max({distance, f - static_cast<double>(k) / kCount, (k + 1.0) / kCount - f});
  }
  return distance;
}

TEST(BatchInput, DrawsHaveTheDistributionsThatTheyAreSaidToHave) {
  const auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  EXPECT_LT(Distance("uniform: [-2, 3]", [](double x) { return (x + 2) / 5; }), 0.031);
  EXPECT_LT(Distance("log_uniform: [1e-6, 1e3]",
                     [](double x) { return std::log(x / 1e-6) / std::log(1e9); }),
            0.031);
  EXPECT_LT(Distance("normal: {mean: 1, sigma: 2}", [&](double x) { return phi((x - 1) / 2); }),
            0.031);
  const double lo = phi(-1), hi = phi(0.5);
  EXPECT_LT(Distance("truncated_normal: {mean: 1, sigma: 2, range: [-1, 2]}",
                     [&](double x) { return (phi((x - 1) / 2) - lo) / (hi - lo); }),
            0.031);
  EXPECT_LT(Distance("choice: [1, 2, 4]",
                     [](double x) {
                       return x < 1 ? 0 : x < 2 ? 1 / 3.0 : x < 4 ? 2 / 3.0 : 1;
                     }),
            0.36);  // steps: the distance at a step is its height
  EXPECT_GT(Distance("uniform: [-2, 3]", [](double x) { return (x + 2.5) / 5.5; }), 0.031);
}

TEST(BatchInput, ChoicesAreAsLikely) {
  const Batch batch = LoadBatch(
      WriteBallBatch("choice",
                     "sample:\n  contact_models.default.normal.latch: {choice: [first, largest]}\n"
                     "outcomes: {a: time}\n"));
  EXPECT_FALSE(batch.sample[0].numeric);
  int first = 0;
  for (int k = 0; k < 4000; ++k) first += DrawRun(batch, k)[0].scalar == "first" ? 1 : 0;
  EXPECT_NEAR(first, 2000, 105);  // 3.3 standard deviations
}

TEST(BatchInput, SameIsTheSameValue) {
  const Batch batch = LoadBatch(WriteBallBatch(
      "same",
      "sample:\n  bodies.ball.pose.position[0]: {same: \"bodies.ball.pose.position[1]\"}\n"
      "  bodies.ball.pose.position[1]: {normal: {sigma: 1}}\noutcomes: {a: time}\n"));
  for (int k = 0; k < 5; ++k) {
    const std::vector<Value> values = DrawRun(batch, k);
    EXPECT_EQ(values[0].scalar, values[1].scalar);
    const Scene scene = SceneWith(batch, values);
    EXPECT_EQ(scene.bodies[1].X_WB.p.x, scene.bodies[1].X_WB.p.y);
    EXPECT_EQ(scene.bodies[1].X_WB.p.x, std::stod(values[1].scalar));
  }
}

TEST(BatchInput, ShippedBatchesAreRead) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(INTERVOX_DATA_DIR "/batches")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_NO_THROW(LoadBatch(entry.path())) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 4);
}

// E. B. Wilson's interval against values computed from his formula with other code
// (R's binom.confint(…, method = "wilson")).
TEST(BatchInput, WilsonIntervals) {
  const Rate half = WilsonRate(50, 100);
  EXPECT_NEAR(half.lo, 0.4038315, 1e-6);
  EXPECT_NEAR(half.hi, 0.5961685, 1e-6);
  const Rate all = WilsonRate(10, 10);
  EXPECT_NEAR(all.lo, 0.7224672, 1e-6);
  EXPECT_DOUBLE_EQ(all.hi, 1.0);
  EXPECT_EQ(WilsonRate(0, 10).lo, 0.0);
  EXPECT_EQ(WilsonRate(0, 0).hi, 1.0);
}

}  // namespace
}  // namespace intervox::host
