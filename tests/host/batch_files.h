/** @file Small batches for tests: a ball dropped to a floor with a sampled height and stiffness. */
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "host/batch/batch.h"
#include "host/input/error.h"

namespace intervox::host {

/** The scene of the batches. */
inline const char* const kBallScene =
    "schema: intervox/scene/2\n"
    "name: drop\n"
    "duration: 0.2\n"
    "integrator: {step: 1e-3}\n"
    "shapes:\n"
    "  ball: {sphere: {radius: 0.1}}\n"
    "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
    "contact_models:\n"
    "  default: {normal: {model: gonthier, stiffness: 1e7, restitution: 0.5}}\n"
    "bodies:\n"
    "  floor: {shape: floor, fixed: true}\n"
    "  ball: {shape: ball, mass: 2, pose: {position: [0, 0, 0.15]}}\n"
    "sensors: {tip: {body: ball, frame: {position: [0, 0, -0.1]}}}\n"
    "output: {every: 2e-3}\n";

/** The batch but for its schema, scene and number. */
inline const char* const kBallSample =
    "sample:\n"
    "  bodies.ball.pose.position[2]: {normal: {mean: 0.15, sigma: 0.02}}\n"
    "  bodies.ball.mass: {uniform: [1, 3]}\n"
    "outcomes:\n"
    "  bounced: \"velocity(ball)[2] > 0\"\n"
    "  peak: \"peak_force(ball)\"\n";

/** Writes scene and batch into a fresh folder; returns the batch's path. */
inline std::filesystem::path WriteBallBatch(const std::string& name, const std::string& rest,
                                            int number = 12) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("intervox_batch_" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "ball.yaml") << kBallScene;
  std::ofstream(folder / "batch.yaml")
      << "schema: intervox/batch/1\nscene: ball.yaml\nseed: 7\nnumber: " << number << "\n"
      << rest;
  return folder / "batch.yaml";
}

}  // namespace intervox::host
