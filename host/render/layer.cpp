#include "host/render/layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "cuda/device/executor.h"

namespace intervox::host::internal {
namespace {

constexpr int kPattern = 4;           // shadow and occlusion directions repeat every 4 × 4 pixels
constexpr int kOcclusionRays = 3;     // per pixel; the blur over a pattern gathers 48
constexpr int kSubsamples = 4;        // per axis, in pixels with an edge
constexpr double kSunRadius = 0.035;  // of the light, at distance one: soft shadow edges
constexpr double kSilhouette = 0.80;  // darkness of lines
constexpr double kCrease = 0.50;

/** How visible the light and the surroundings are from a point. */
struct Visibility {
  float light = 1.0F;
  float sky = 1.0F;
};

Color operator*(double s, const Color& c) { return {s * c.r, s * c.g, s * c.b}; }
Color operator+(const Color& a, const Color& b) { return {a.r + b.r, a.g + b.g, a.b + b.b}; }

/** Fraction of x's binary digits mirrored at the point: evenly spread numbers in [0, 1). */
double VanDerCorput(unsigned x) {
  double sum = 0;
  for (double digit = 0.5; x != 0; x >>= 1, digit *= 0.5) sum += (x & 1U) != 0 ? digit : 0.0;
  return sum;
}

/** Whether two samples of one body are apart across the surface, as at a step between two faces. */
bool Stepped(const SurfaceHit& a, const Vec3& p_a, const SurfaceHit& b, const Vec3& p_b) {
  const Vec3 d = p_b - p_a;
  const double step = std::max(std::fabs(Dot(d, a.normal)), std::fabs(Dot(d, b.normal)));
  if (a.cell == b.cell && a.surface == b.surface) return step > 0.8 * Norm(d);
  // Where two surfaces join smoothly, the step is at most that of the angle between their normals.
  const double cosine = std::clamp(Dot(a.normal, b.normal), -1.0, 1.0);
  return step > (0.02 + 1.5 * std::sqrt(1 - cosine * cosine)) * Norm(d);
}

/** Whether two samples lie on one smooth surface, near enough to share light. */
bool SameSurface(const SurfaceHit& a, const Vec3& p_a, const SurfaceHit& b, const Vec3& p_b) {
  return a.body == b.body && a.body >= 0 && Dot(a.normal, b.normal) > 0.94 &&
         !Stepped(a, p_a, b, p_b);
}

/** How dark a line between two neighbouring samples is. */
double Line(const SurfaceHit& a, const Vec3& p_a, const SurfaceHit& b, const Vec3& p_b) {
  if (a.body < 0 && b.body < 0) return 0;
  if (a.body != b.body || Stepped(a, p_a, b, p_b)) return kSilhouette;
  if (a.cell == b.cell && a.surface == b.surface) return 0;
  return Dot(a.normal, b.normal) > 0.93 ? 0 : kCrease;
}

/** A pattern on the body's surface: factor of its colour. */
double Tone(const RenderBody& body, const Vec3& p_W) {
  const Vec3 p = TransposeTimes(body.X_WB.R, p_W - body.X_WB.p);
  switch (body.pattern) {
    case Pattern::kOctants:
      return ((p.x > 0) != (p.y > 0)) != (p.z > 0) ? 1.0 : 0.45;
    case Pattern::kGrid: {
      // The two coordinates along the surface; the third is nearly constant there.
      double tone = 1;
      for (int k = 0; k < 3; ++k) {
        const double u = p[k] / body.pattern_size;
        const double from_line = std::fabs(u - std::round(u));
        const bool is_plain = std::fabs(p[k]) < 1e-6 * body.pattern_size;
        if (from_line < 0.02 && !is_plain) tone = 0.8;
      }
      return tone;
    }
    default:
      return 1;
  }
}

/** How much of a pixel on a cut face its hatching covers: lines at 45° to `up`, which lean the
 other way on every other body, so that touching sections stay apart. `footprint` is the pixel's
 size. */
double Hatched(const SurfaceHit& hit, const Vec3& p, const Vec3& up, double spacing,
               double footprint) {
  if (!(spacing > 0)) return 0;
  const Vec3 along = up - Dot(up, hit.normal) * hit.normal;
  const Vec3 v = Norm(along) > 1e-6 * Norm(up) ? Normalized(along) : AnyOrthogonal(hit.normal);
  const Vec3 u = (hit.body % 2 == 0 ? 1.0 : -1.0) * Cross(v, hit.normal);
  const double s = Dot(p, u + v) / (std::numbers::sqrt2 * spacing);
  const double from_line = std::fabs(s - std::round(s)) * spacing;
  return std::clamp((0.05 * spacing - from_line) / footprint + 0.5, 0.0, 1.0);
}

/** Draws one layer; holds what all pixels share. */
class Painter {
 public:
  Painter(const RenderScene& scene, const Rays& rays, const Hierarchy& visible,
          const Hierarchy* casters)
      : scene_(scene),
        options_(scene.options),
        rays_(rays),
        visible_(visible),
        casters_(casters),
        to_light_(Normalized(scene.options.to_light)),
        width_(scene.options.width),
        height_(scene.options.height) {
    for (unsigned k = 0; k < spread_.size(); ++k) {
      spread_[k] = {(k + 0.5) / spread_.size(), VanDerCorput(k), 0};
    }
  }

  LayerImage Draw() {
    const std::size_t pixels = static_cast<std::size_t>(width_) * height_;
    hits_.resize(pixels);
    points_.resize(pixels);
    raw_.resize(pixels);
    smooth_.resize(pixels);
    LayerImage image{std::vector<Color>(pixels), std::vector<double>(pixels),
                     std::vector<double>(pixels, kFar)};
    ForPixels([this](int i, int j, std::size_t at) {
      const Vec3 d = rays_.Direction(i + 0.5, j + 0.5);
      hits_[at] = visible_.FirstHit(rays_.Eye(), d, 0, kFar);
      if (hits_[at].body < 0) return;
      points_[at] = rays_.Eye() + hits_[at].t * d;
      if (casters_ != nullptr) raw_[at] = See(hits_[at], points_[at], i, j, kOcclusionRays);
    });
    ForPixels([this](int i, int j, std::size_t at) { smooth_[at] = Blur(i, j, at); });
    ForPixels([this, &image](int i, int j, std::size_t at) { Paint(i, j, at, &image); });
    return image;
  }

 private:
  template <class F>
  void ForPixels(F&& f) const {
    cuda::ForEach(static_cast<std::size_t>(height_), 8, 0, [&](std::size_t j) {
      for (int i = 0; i < width_; ++i) f(i, static_cast<int>(j), j * width_ + i);
    });
  }

  /** Light and sky seen from a point, by the directions of its place in the pattern. */
  Visibility See(const SurfaceHit& hit, const Vec3& p, int i, int j, int rays) const {
    constexpr int kPlaces = kPattern * kPattern;
    const int place = (i % kPattern) + kPattern * (j % kPattern);
    const Vec3& n = hit.normal;
    const Vec3 start = p + 1e-6 * hit.t * n;
    Visibility seen;
    if (options_.shadows && Dot(n, to_light_) > 0) {
      const Vec3& s = spread_[place * kOcclusionRays];
      const double angle = 2 * std::numbers::pi * s.y;
      const double r = kSunRadius * std::sqrt(s.x);
      const Vec3 u = AnyOrthogonal(to_light_);
      const Vec3 d = Normalized(to_light_ + r * std::cos(angle) * u +
                                r * std::sin(angle) * Cross(to_light_, u));
      seen.light = casters_->Occluded(start, d, 0, kFar) ? 0.0F : 1.0F;
    }
    const Vec3 u = AnyOrthogonal(n);
    const Vec3 v = Cross(n, u);
    int blocked = 0;
    for (int k = 0; k < rays; ++k) {
      // Directions with the density of the cosine, stratified over the pattern.
      const Vec3& s = spread_[(place + kPlaces * k) % spread_.size()];
      const double r = std::sqrt(s.x);
      const double angle = 2 * std::numbers::pi * s.y;
      const Vec3 d = r * std::cos(angle) * u + r * std::sin(angle) * v + std::sqrt(1 - s.x) * n;
      if (casters_->Occluded(start, d, 0, options_.occlusion_reach)) ++blocked;
    }
    seen.sky = 1.0F - static_cast<float>(blocked) / static_cast<float>(std::max(1, rays));
    return seen;
  }

  /** The mean visibility of the pattern around a pixel, over its own surface. */
  Visibility Blur(int i, int j, std::size_t at) const {
    if (hits_[at].body < 0 || casters_ == nullptr) return {};
    float light = 0;
    float sky = 0;
    int count = 0;
    for (int dj = -kPattern / 2 + 1; dj <= kPattern / 2; ++dj) {
      for (int di = -kPattern / 2 + 1; di <= kPattern / 2; ++di) {
        const int x = i + di;
        const int y = j + dj;
        if (x < 0 || x >= width_ || y < 0 || y >= height_) continue;
        const std::size_t other = static_cast<std::size_t>(y) * width_ + x;
        if (other != at && !SameSurface(hits_[at], points_[at], hits_[other], points_[other])) {
          continue;
        }
        light += raw_[other].light;
        sky += raw_[other].sky;
        ++count;
      }
    }
    return {light / static_cast<float>(count), sky / static_cast<float>(count)};
  }

  /** The visibility of a sample inside the pixel (i, j): its own, or that of a neighbour on the
   same surface, else looked up anew. */
  Visibility Borrow(const SurfaceHit& hit, const Vec3& p, int i, int j) const {
    if (casters_ == nullptr) return {};
    for (const auto& [di, dj] :
         {std::pair{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}}) {
      const int x = i + di;
      const int y = j + dj;
      if (x < 0 || x >= width_ || y < 0 || y >= height_) continue;
      const std::size_t at = static_cast<std::size_t>(y) * width_ + x;
      if (SameSurface(hit, p, hits_[at], points_[at])) return smooth_[at];
    }
    return See(hit, p, i, j, kOcclusionRays);
  }

  Color Shade(const SurfaceHit& hit, const Vec3& p, const Visibility& seen, double* alpha) const {
    const RenderBody& body = scene_.bodies[hit.body];
    const Vec3 to_eye = (1 / hit.t) * (rays_.Eye() - p);
    // A surface seen from behind (through a translucent body) is lit like its front.
    const Vec3 n = Dot(hit.normal, to_eye) < 0 ? -hit.normal : hit.normal;
    const double facing = Dot(n, to_eye);
    const Vec3 up = Normalized(scene_.camera.up_W);
    const double key = std::max(0.0, Dot(n, to_light_)) * seen.light;
    const double fill = std::max(0.0, facing);
    const double ambient = 0.23 + 0.09 * Dot(n, up);
    const double light = 0.62 * key + (ambient + 0.15 * fill) * (0.2 + 0.8 * seen.sky);
    const Vec3 half = Normalized(to_light_ + to_eye);
    const double shine = 0.10 * std::pow(std::max(0.0, Dot(n, half)), 40) * seen.light;
    *alpha = 1;
    if (body.layer == Layer::kTranslucent) {
      // More opaque at grazing angles, as glass: the outline stays legible.
      *alpha = body.opacity + (1 - body.opacity) * 0.6 * std::pow(1 - std::max(0.0, facing), 3);
    }
    if (options_.fade_far > 0) *alpha *= std::exp(-std::pow(hit.t / options_.fade_far, 4));
    Color base = body.color;
    if (hit.cut) {
      const double footprint = rays_.PixelAt(hit.t) / std::max(0.2, facing);
      const double dark = 0.5 * Hatched(hit, p, up, options_.hatch_spacing, footprint);
      base = (1 - dark) * (0.5 * base + Color{0.45, 0.44, 0.42});
    }
    if (body.layer == Layer::kMark) return (0.45 + 0.55 * std::max(0.0, facing)) * base;
    return light * Tone(body, p) * base + Color{shine, shine, shine};
  }

  void Paint(int i, int j, std::size_t at, LayerImage* image) const {
    if (!HasEdge(i, j, at)) {
      if (hits_[at].body < 0) return;
      double alpha = 1;
      const Color color = Shade(hits_[at], points_[at], smooth_[at], &alpha);
      image->color[at] = alpha * color;
      image->alpha[at] = alpha;
      image->depth[at] = hits_[at].t;
      return;
    }
    // Samples from border to border, so that an edge between two pixels belongs to one of them.
    SurfaceHit hits[kSubsamples][kSubsamples];
    Vec3 points[kSubsamples][kSubsamples];
    Color sum;
    double alpha_sum = 0;
    double depth = kFar;
    for (int b = 0; b < kSubsamples; ++b) {
      for (int a = 0; a < kSubsamples; ++a) {
        const double x = i + a / (kSubsamples - 1.0);
        const double y = j + b / (kSubsamples - 1.0);
        const Vec3 d = rays_.Direction(x, y);
        SurfaceHit& hit = hits[b][a];
        hit = visible_.FirstHit(rays_.Eye(), d, 0, kFar);
        if (hit.body < 0) continue;
        points[b][a] = rays_.Eye() + hit.t * d;
        double alpha = 1;
        const Color c = Shade(hit, points[b][a], Borrow(hit, points[b][a], i, j), &alpha);
        sum = sum + alpha * c;
        alpha_sum += alpha;
        depth = std::min(depth, hit.t);
      }
    }
    double line = 0;
    if (options_.lines) {
      for (int b = 0; b < kSubsamples; ++b) {
        for (int a = 0; a < kSubsamples; ++a) {
          if (a + 1 < kSubsamples) {
            line += Line(hits[b][a], points[b][a], hits[b][a + 1], points[b][a + 1]);
          }
          if (b + 1 < kSubsamples) {
            line += Line(hits[b][a], points[b][a], hits[b + 1][a], points[b + 1][a]);
          }
        }
      }
      // A straight edge across the pixel crosses as many pairs as there are samples in a row.
      line = std::min(line / kSubsamples, kSilhouette);
    }
    constexpr double kCount = kSubsamples * kSubsamples;
    // A line darkens what is there, and shows over the background where the body ends.
    const double alpha = alpha_sum / kCount;
    const double line_alpha = alpha > 0 ? line * std::min(1.0, 2 * alpha) : 0;
    image->color[at] = (1 - line_alpha) / kCount * sum + line_alpha * Color{0.018, 0.02, 0.025};
    image->alpha[at] = alpha + (1 - alpha) * line_alpha;
    image->depth[at] = depth;
  }

  bool HasEdge(int i, int j, std::size_t at) const {
    for (int dj = -1; dj <= 1; ++dj) {
      for (int di = -1; di <= 1; ++di) {
        const int x = i + di;
        const int y = j + dj;
        if (x < 0 || x >= width_ || y < 0 || y >= height_) continue;
        const std::size_t other = static_cast<std::size_t>(y) * width_ + x;
        if (Line(hits_[at], points_[at], hits_[other], points_[other]) > 0) return true;
      }
    }
    return false;
  }

  const RenderScene& scene_;
  const RenderOptions& options_;
  const Rays& rays_;
  const Hierarchy& visible_;
  const Hierarchy* casters_;
  Vec3 to_light_;
  int width_;
  int height_;
  std::array<Vec3, kPattern * kPattern * kOcclusionRays> spread_;
  std::vector<SurfaceHit> hits_;
  std::vector<Vec3> points_;
  std::vector<Visibility> raw_;
  std::vector<Visibility> smooth_;
};

}  // namespace

Rays::Rays(const Camera& camera, int width, int height)
    : eye_(camera.p_WE), width_(width), height_(height) {
  const Vec3 view = camera.p_WT - camera.p_WE;
  const Vec3 side = Cross(view, camera.up_W);
  if (!(Norm(side) > 1e-9 * Norm(view) * Norm(camera.up_W))) {
    throw std::invalid_argument(
        "the camera looks nowhere or along its up direction; move the eye or change up");
  }
  forward_ = Normalized(view);
  const double pixel =
      2 * std::tan(0.5 * camera.view_angle * std::numbers::pi / 180) / static_cast<double>(height);
  right_ = pixel * Normalized(side);
  above_ = pixel * Normalized(Cross(side, view));
}

LayerImage DrawLayer(const RenderScene& scene, const Rays& rays, const Hierarchy& visible,
                     const Hierarchy* casters) {
  return Painter(scene, rays, visible, casters).Draw();
}

}  // namespace intervox::host::internal
