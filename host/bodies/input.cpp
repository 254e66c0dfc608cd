#include "host/bodies/input.h"

namespace intervox::host {

FrameMotion DriveAt(const BodySettings& body, const BodyInput& input, double t) {
  if (input.drives) return Evaluate(input.drive, t);
  return Evaluate(body.motion ? *body.motion : body.holder->target, t);
}

}  // namespace intervox::host
