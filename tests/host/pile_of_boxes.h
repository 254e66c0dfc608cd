/** @file A scene whose steps take as long as one likes. */
#pragma once

#include <string>

namespace intervox {

/** 300 boxes in layers of 100 on a floor, in steps of so many seconds: 50 s of them take longer
 than anyone waits. */
inline std::string PileOfBoxes(double step) {
  std::string text =
      "schema: intervox/scene/2\nduration: 5000\nintegrator: {step: " + std::to_string(step) +
      "}\nshapes:\n  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
      "  box: {box: {size: [0.1, 0.1, 0.1]}}\n"
      "contact_models: {default: {normal: {model: gonthier, stiffness: 1e9, restitution: 0.1}, "
      "friction: {model: bristle}}}\n"
      "bodies:\n  floor: {shape: floor, fixed: true}\n";
  for (int b = 0; b < 300; ++b) {
    const int column = b % 10, row = b / 10 % 10, layer = b / 100;
    text += "  box" + std::to_string(b) + ": {shape: box, mass: 1, pose: {position: [" +
            std::to_string(0.101 * column) + ", " + std::to_string(0.101 * row) + ", " +
            std::to_string(0.0499 + 0.0998 * layer) + "]}}\n";
  }
  return text;
}

}  // namespace intervox
