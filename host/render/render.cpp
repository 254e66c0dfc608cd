#include "host/render/render.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "host/render/hierarchy.h"
#include "host/render/layer.h"
#include "host/render/marks.h"

namespace intervox::host {
namespace {

/** How much of a mark shows through what hides it. */
constexpr double kThrough = 0.6;

std::uint8_t ToByte(double linear) {
  const double v = std::clamp(linear, 0.0, 1.0);
  const double s = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * s));
}

/** Puts a premultiplied colour over another. */
void Over(const Color& c, double alpha, double share, Color* below) {
  const double keep = 1 - share * alpha;
  *below = {share * c.r + keep * below->r, share * c.g + keep * below->g,
            share * c.b + keep * below->b};
}

std::vector<int> BodiesOf(const RenderScene& scene, Layer layer) {
  std::vector<int> bodies;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].layer == layer) bodies.push_back(static_cast<int>(b));
  }
  return bodies;
}

}  // namespace

Image Render(const RenderScene& given) {
  const RenderOptions& options = given.options;
  if (options.width <= 0 || options.height <= 0) {
    throw std::invalid_argument("the picture's size must be positive, got " +
                                std::to_string(options.width) + "x" +
                                std::to_string(options.height));
  }
  RenderScene scene = given;
  std::vector<std::vector<geometry::Cell>> marks;
  for (const ForceArrow& arrow : scene.arrows) marks.push_back(internal::ArrowCells(arrow));
  for (const PatchMark& patch : scene.patches) marks.push_back(internal::PatchCells(patch));
  for (std::size_t k = 0; k < marks.size(); ++k) {
    RenderBody body;
    body.cells = marks[k];
    body.color = k < scene.arrows.size() ? scene.arrows[k].color
                                         : scene.patches[k - scene.arrows.size()].color;
    body.layer = Layer::kMark;
    scene.bodies.push_back(body);
  }

  const internal::Rays rays(scene.camera, options.width, options.height);
  const std::vector<int> opaque = BodiesOf(scene, Layer::kOpaque);
  const std::vector<int> translucent = BodiesOf(scene, Layer::kTranslucent);
  const std::vector<int> marked = BodiesOf(scene, Layer::kMark);
  const internal::Hierarchy solid(scene.bodies, opaque);
  const internal::LayerImage ground = internal::DrawLayer(scene, rays, solid, &solid);
  internal::LayerImage glass;
  internal::LayerImage mark;
  if (!translucent.empty()) {
    glass =
        internal::DrawLayer(scene, rays, internal::Hierarchy(scene.bodies, translucent), nullptr);
  }
  if (!marked.empty()) {
    mark = internal::DrawLayer(scene, rays, internal::Hierarchy(scene.bodies, marked), nullptr);
  }

  Image image{options.width, options.height, {}};
  image.rgb.resize(3 * static_cast<std::size_t>(options.width) * options.height);
  for (int j = 0; j < options.height; ++j) {
    const double s = (j + 0.5) / options.height;
    const Color& top = options.background_top;
    const Color& bottom = options.background_bottom;
    for (int i = 0; i < options.width; ++i) {
      const std::size_t at = static_cast<std::size_t>(j) * options.width + i;
      Color c{(1 - s) * top.r + s * bottom.r, (1 - s) * top.g + s * bottom.g,
              (1 - s) * top.b + s * bottom.b};
      Over(ground.color[at], ground.alpha[at], 1, &c);
      if (!translucent.empty() && glass.depth[at] < ground.depth[at]) {
        Over(glass.color[at], glass.alpha[at], 1, &c);
      }
      if (!marked.empty() && mark.alpha[at] > 0) {
        const bool hidden = ground.depth[at] < mark.depth[at];
        Over(mark.color[at], mark.alpha[at], hidden ? kThrough : 1, &c);
      }
      image.At(i, j, 0) = ToByte(c.r);
      image.At(i, j, 1) = ToByte(c.g);
      image.At(i, j, 2) = ToByte(c.b);
    }
  }
  return image;
}

}  // namespace intervox::host
