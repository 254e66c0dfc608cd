#include "host/scene/batch_keys.h"

namespace intervox::host {
namespace {

const Range kSpread{0, 1e30, true};
const Range kCount{1, 1e9, false};

std::vector<Object> Distributions() {
  const Key mean{"mean", Type::kNumber, kAny, "", false, 0, "Default 0."};
  const Key sigma{"sigma", Type::kNumber, kSpread, "", true, 0, "Standard deviation."};
  Object distribution{
      "distribution",
      "What a sampled value is drawn from, in the units of its path.",
      {{"normal", Type::kObject, kAny, "normal", false, 0, "Normally distributed numbers."},
       {"uniform", Type::kNumbers, kAny, "", false, 2, "[lo, hi]: all between are as likely."},
       {"log_uniform", Type::kNumbers, kPositive, "", false, 2,
        "[lo, hi]: the logarithm is uniform."},
       {"truncated_normal", Type::kObject, kAny, "truncated_normal", false, 0,
        "Normally distributed numbers, drawn again where they fall outside of a range."},
       {"choice", Type::kValues, kAny, "", false, 1, "One of these values, all as likely."},
       {"constant", Type::kValue, kAny, "", false, 0, "Always this value."},
       {"same", Type::kString, kAny, "", false, 0, "The value of another sampled path."}},
      {},
      {}};
  for (const Key& key : distribution.keys) distribution.exactly_one.push_back(key.name);
  return {{"normal", "A normal distribution.", {mean, sigma}, {}, {}},
          {"truncated_normal",
           "A normal distribution cut to a range.",
           {mean, sigma, {"range", Type::kNumbers, kAny, "", true, 2, "[lo, hi]"}},
           {},
           {}},
          distribution};
}

}  // namespace

std::vector<Object> BatchObjects() {
  std::vector<Object> objects = Distributions();
  objects.push_back(
      {"stop",
       "When a run ends before the scene's duration.",
       {{"when", Type::kString, kAny, "", false, 0, "An expression; ends where it is not 0."},
        {"after", Type::kNumber, kPositive, "", false, 0, "Simulated time [s]."}},
       {},
       {}});
  objects.push_back({"until",
                     "Runs go on, block by block, until a rate is known well enough.",
                     {{"outcome", Type::kString, kAny, "", true, 0, "A boolean outcome."},
                      {"interval",
                       Type::kNumber,
                       {0, 1, true},
                       "",
                       true,
                       0,
                       "Width of the 95 % interval of its rate that is narrow enough [-]."},
                      {"block", Type::kNumber, kCount, "", false, 0,
                       "Runs between two looks at the interval; default 100."}},
                     {},
                     {}});
  objects.push_back(
      {"batch",
       "Many runs of one scene with sampled values.",
       {{"schema", Type::kChoice, kAny, "intervox/batch/1", true, 0,
         "Kind and version: intervox/batch/1."},
        {"name", Type::kString, kAny, "", false, 0, "A title."},
        {"scene", Type::kString, kAny, "", true, 0, "Scene file, relative to this file."},
        {"number", Type::kNumber, kCount, "", true, 0, "Of runs; with `until` at most."},
        {"seed",
         Type::kNumber,
         {0, 9007199254740992.0, false},
         "",
         false,
         0,
         "Of the random numbers; default 0."},
        {"sample", Type::kNamed, kAny, "distribution", false, 0,
         "By path into the scene, as `--set` has it; set in this order."},
        {"stop", Type::kObject, kAny, "stop", false, 0, "Ends runs early."},
        {"outcomes", Type::kWords, kAny, "", true, 0,
         "What a run comes down to: expressions by name, evaluated at its end."},
        {"until", Type::kObject, kAny, "until", false, 0, "Ends the batch early."},
        {"controller", Type::kString, kAny, "", false, 0,
         "The program that steers its runs, for a reader; without a controller it is refused."},
        {"keep", Type::kChoice, kAny, "none|failed|all", false, 0,
         "Whose trajectories stay; default none."}},
       {},
       {}});
  return objects;
}

}  // namespace intervox::host
