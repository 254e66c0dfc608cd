/** @file One layer of a picture: surfaces, light and lines of a group of bodies, anti-aliased. */
#pragma once

#include <vector>

#include "host/render/hierarchy.h"
#include "host/render/render.h"

namespace intervox::host::internal {

/** Rays through the pixels of a camera. */
class Rays {
 public:
  /** @throws std::invalid_argument for a camera without a direction. */
  Rays(const Camera& camera, int width, int height);
  /** The unit direction through the image point (x, y) in pixels from the upper left corner. */
  Vec3 Direction(double x, double y) const {
    return Normalized(forward_ + (x - 0.5 * width_) * right_ + (0.5 * height_ - y) * above_);
  }
  /** The edge of a pixel at the given distance [m]. */
  double PixelAt(double distance) const { return distance * Norm(right_); }
  /** The eye. */
  const Vec3& Eye() const { return eye_; }

 private:
  Vec3 eye_;
  Vec3 forward_;
  Vec3 right_;  // the step of one pixel at distance one
  Vec3 above_;
  int width_;
  int height_;
};

/** Premultiplied linear colour, coverage and depth of each pixel of a layer. */
struct LayerImage {
  std::vector<Color> color;
  std::vector<double> alpha;
  std::vector<double> depth;  // nearest of the pixel's samples; kFar where nothing is
};

/** Draws the bodies of `visible`. Shadows and ambient occlusion come from `casters`; a null one
 leaves them out. */
LayerImage DrawLayer(const RenderScene& scene, const Rays& rays, const Hierarchy& visible,
                     const Hierarchy* casters);

}  // namespace intervox::host::internal
