/** @file Small batches for tests: a ball dropped to a floor with a sampled height and mass. */
#pragma once

#include <string>

#include "files.h"
#include "host/batch/batch.h"
#include "host/input/error.h"

namespace intervox::host {

/** The scene of the batches, as tests in other languages have it too. */
inline std::string BallScene() {
  return TextOf(fs::path(INTERVOX_DATA_DIR) / "../tests/scenes/ball_on_floor.yaml");
}

/** The batch but for its schema, scene and number. */
inline const char* const kBallSample =
    "sample:\n"
    "  bodies.ball.pose.position[2]: {normal: {mean: 0.15, sigma: 0.02}}\n"
    "  bodies.ball.mass: {uniform: [1, 3]}\n"
    "outcomes:\n"
    "  bounced: \"velocity(ball)[2] > 0\"\n"
    "  peak: \"peak_force(ball)\"\n";

/** Writes scene and batch into a fresh folder; returns the batch's path. */
inline fs::path WriteBallBatch(const std::string& name, const std::string& rest, int number = 12) {
  const fs::path folder = Folder("batch_" + name);
  Write(folder / "ball.yaml", BallScene());
  return Write(folder / "batch.yaml",
               "schema: intervox/batch/1\nscene: ball.yaml\nseed: 7\nnumber: " +
                   std::to_string(number) + "\n" + rest);
}

}  // namespace intervox::host
