#include "host/render/render.h"

#include <gtest/gtest.h>
#include <png.h>
#include <tbb/global_control.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>

#include "geometry/make_surface.h"
#include "tests/geometry/boxes.h"

namespace intervox::host {
namespace {

using geometry::Block;
using geometry::Cell;
using geometry::MakePlane;

Cell Ball(double radius, const Vec3& centre = {}) {
  return geometry::MakeCell(
      {geometry::MakeEllipsoid({radius, radius, radius}, {Mat3::Identity(), centre})}, "ball");
}

RenderScene LookAlongY(const std::vector<Cell>& cells) {
  RenderScene scene;
  scene.camera = {{0, -10, 0}, {0, 0, 0}, {0, 0, 1}, 20.0};
  scene.options.width = 300;
  scene.options.height = 200;
  scene.options.lines = false;
  // A background that no lit surface has.
  scene.options.background_top = scene.options.background_bottom = {0, 0, 1};
  RenderBody body;
  body.cells = cells;
  body.color = {0.7, 0.5, 0.0};
  scene.bodies.push_back(body);
  return scene;
}

/** How many pixels the body covers; pixels at its edge count by their share. */
double Covered(const Image& image) {
  double sum = 0;
  for (int j = 0; j < image.height; ++j) {
    for (int i = 0; i < image.width; ++i) {
      const double s = image.At(i, j, 2) / 255.0;  // blue: all background
      sum += 1 - (s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4));
    }
  }
  return sum;
}

/** Pixels per unit of tan(angle from the axis). */
double PixelsPerTangent(const RenderScene& scene) {
  return 0.5 * scene.options.height /
         std::tan(0.5 * scene.camera.view_angle * std::numbers::pi / 180);
}

/** Largest difference of a channel between two pictures of the same size. */
int LargestDifference(const Image& a, const Image& b) {
  int largest = 0;
  for (std::size_t k = 0; k < a.rgb.size(); ++k) {
    largest = std::max(largest, std::abs(int{a.rgb[k]} - int{b.rgb[k]}));
  }
  return largest;
}

TEST(Render, BallCoversItsDisc) {
  const std::vector<Cell> cells{Ball(1.0)};
  RenderScene scene = LookAlongY(cells);
  scene.options.to_light = {0, -1, 0};  // no highlight in the blue channel away from the middle
  // The tangent cone of a ball of radius 1 seen from distance 10 has sin = 1/10.
  const double radius = PixelsPerTangent(scene) * 0.1 / std::sqrt(1 - 0.01);
  const double expected = std::numbers::pi * radius * radius;
  EXPECT_NEAR(Covered(Render(scene)) / expected, 1.0, 0.02);
}

TEST(Render, NearerBodyHidesFarther) {
  const std::vector<Cell> far{Block({-1, 1, -1}, {1, 2, 1})};
  const std::vector<Cell> near{Block({-2, -2, -2}, {2, -1, 2})};
  RenderScene scene = LookAlongY(far);
  RenderBody front;
  front.cells = near;
  front.color = {0.0, 0.6, 0.1};
  scene.bodies.push_back(front);
  const Image both = Render(scene);
  std::swap(scene.bodies[0], scene.bodies[1]);
  EXPECT_EQ(LargestDifference(both, Render(scene)), 0);
  std::swap(scene.bodies[0], scene.bodies[1]);
  scene.bodies.erase(scene.bodies.begin());
  const Image front_only = Render(scene);
  EXPECT_EQ(LargestDifference(both, front_only), 0);
  EXPECT_GT(int{both.At(150, 100, 1)}, int{both.At(150, 100, 0)});
}

TEST(Render, CutRemovesHalf) {
  const std::vector<Cell> cells{Ball(1.0)};
  RenderScene scene = LookAlongY(cells);
  const double whole = Covered(Render(scene));
  scene.bodies[0].cuts.push_back({{1, 0, 0}, 0.0});
  const double half = Covered(Render(scene));
  EXPECT_NEAR(half / whole, 0.5, 0.01);
}

TEST(Render, CutsBetweenCellsDoNotShow) {
  const std::vector<Cell> one{Block({-1, -0.5, -0.7}, {1, 0.5, 0.7})};
  const std::vector<Cell> two{Block({-1, -0.5, -0.7}, {0.2, 0.5, 0.7}),
                              Block({0.2, -0.5, -0.7}, {1, 0.5, 0.7})};
  RenderScene scene = LookAlongY(one);
  scene.options.lines = true;
  scene.camera.p_WE = {3, -10, 4};
  const Image whole = Render(scene);
  scene.bodies[0].cells = two;
  // The samples at the cut may be shaded through another neighbour: a rounding of the last bit.
  EXPECT_LE(LargestDifference(whole, Render(scene)), 2);
}

TEST(Render, LinesFollowCreases) {
  const std::vector<Cell> cells{Block({-1, -1, -1}, {1, 1, 1})};
  RenderScene scene = LookAlongY(cells);
  scene.camera.p_WE = {7, -7, 0};  // the edge x = 1, y = -1 is the middle column
  scene.camera.view_angle = 30;
  const Image plain = Render(scene);
  scene.options.lines = true;
  const Image lined = Render(scene);
  const auto dark = [](const Image& image, int i) { return int{image.At(i, 100, 0)}; };
  // The edge lies between two columns; one of them holds the line.
  EXPECT_GT(std::max(dark(plain, 149) - dark(lined, 149), dark(plain, 150) - dark(lined, 150)), 30);
  EXPECT_EQ(dark(lined, 130), dark(plain, 130));
}

TEST(Render, TranslucentBodyShowsWhatIsBehind) {
  const std::vector<Cell> far{Block({-1, 1, -1}, {1, 2, 1})};
  const std::vector<Cell> near{Block({-2, -2, -2}, {2, -1, 2})};
  RenderScene scene = LookAlongY(far);
  scene.bodies[0].color = {0.9, 0.0, 0.0};
  RenderBody front;
  front.cells = near;
  front.color = {0.0, 0.9, 0.0};
  front.layer = Layer::kTranslucent;
  front.opacity = 0.5;
  scene.bodies.push_back(front);
  const Image image = Render(scene);
  EXPECT_GT(int{image.At(150, 100, 0)}, 60);  // red from behind
  EXPECT_GT(int{image.At(150, 100, 1)}, 60);  // green from in front
}

TEST(Render, SameBytesForAnyNumberOfThreads) {
  const std::vector<Cell> cells{Ball(0.8), Block({-2, -1, -1}, {2, 1, -0.8})};
  RenderScene scene = LookAlongY(cells);
  scene.camera.p_WE = {2, -9, 3};
  scene.options.lines = true;
  const Image all = Render(scene);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(all.rgb, Render(scene).rgb);
}

TEST(Render, ArrowStartsAtItsPoint) {
  RenderScene scene = LookAlongY({});
  scene.bodies.clear();
  scene.arrows.push_back({{0, 0, 0}, {1.0, 0, 0}, 0.03, {0.9, 0.1, 0.0}});
  const Image image = Render(scene);
  const double scale = PixelsPerTangent(scene) / 10;  // pixels per metre at the arrow
  const auto is_drawn = [&](double x) {
    return image.At(static_cast<int>(150 + x * scale), 100, 2) < 200;
  };
  EXPECT_TRUE(is_drawn(0.95));
  EXPECT_TRUE(is_drawn(0.08));
  EXPECT_FALSE(is_drawn(-0.05));
  EXPECT_FALSE(is_drawn(1.1));
}

TEST(Render, RefusesWhatCannotBeDrawn) {
  RenderScene scene = LookAlongY({});
  scene.options.width = 0;
  EXPECT_THROW(Render(scene), std::invalid_argument);
  scene.options.width = 10;
  scene.camera.p_WE = {0, 0, 5};  // looks along up
  EXPECT_THROW(Render(scene), std::invalid_argument);
}

TEST(MarkOfPatch, RecoversAnEllipticPlate) {
  // A plate with semi-axes 0.05 and 0.02 turned by 30° about z: variances a²/4, b²/4 and t²/12.
  const double a = 0.05, b = 0.02, t = 1e-4;
  const double V = std::numbers::pi * a * b * t;
  const double c = std::cos(std::numbers::pi / 6), s = 0.5;
  const Mat3 R = Mat3::FromColumns({c, s, 0}, {-s, c, 0}, {0, 0, 1});
  const Mat3 E = V * (R * Mat3::Diagonal({a * a / 4, b * b / 4, t * t / 12}) * Transpose(R));
  const Mat3 J = Trace(E) * Mat3::Identity() - E;
  const PatchMark mark = MarkOfPatch({1, 2, 3}, {0, 0, 1}, V, J, 1e-3, V / t);
  EXPECT_NEAR(Norm(mark.axis), a, 1e-12);
  EXPECT_NEAR(mark.second, b, 1e-12);
  EXPECT_NEAR(std::fabs(Dot(mark.axis, {c, s, 0})), a, 1e-12);
  EXPECT_EQ(mark.hole, 0);
  EXPECT_EQ(MarkOfPatch({}, {0, 0, 1}, V, J, 0.03, V / t).second, 0.03);
}

// A ring was drawn as a full ellipse, a quarter larger than the ring itself.
TEST(MarkOfPatch, RecoversARing) {
  for (const double size : {1e-3, 0.1, 10.0}) {
    for (const double q : {0.5, 0.8, 0.99}) {
      const double a = 0.5 * size, b = 0.2 * size, t = 1e-3 * size;
      const double area = std::numbers::pi * a * b * (1 - q * q), V = area * t;
      const Mat3 E = V * Mat3::Diagonal({a * a * (1 + q * q) / 4, b * b * (1 + q * q) / 4, 0});
      const Mat3 J = Trace(E) * Mat3::Identity() - E;
      const PatchMark mark = MarkOfPatch({}, {0, 0, 1}, V, J, 0.01 * size, area);
      EXPECT_NEAR(mark.hole, q, 1e-12);
      EXPECT_NEAR(Norm(mark.axis), a, 1e-12 * size);
      EXPECT_NEAR(mark.second, b, 1e-12 * size);
      // Seen from above, its hole lets the background through.
      RenderScene scene;
      scene.patches = {mark};
      scene.patches[0].thickness = 0.05 * size;
      scene.camera.p_WE = {0, 0, 3 * size};
      scene.camera.up_W = {0, 1, 0};
      scene.options.width = 9;
      scene.options.height = 9;
      scene.options.lines = false;
      const Image image = Render(scene);
      scene.patches[0].hole = 0;
      const Image full = Render(scene);
      scene.patches.clear();
      const Image empty = Render(scene);
      const std::size_t middle = 3 * (9 * 4 + 4);
      EXPECT_NE(full.rgb[middle], empty.rgb[middle]);
      EXPECT_EQ(image.rgb[middle], empty.rgb[middle]) << size << ' ' << q;
    }
  }
}

TEST(WritePng, RoundTrip) {
  Image image{3, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 255, 0, 128, 10, 20, 30, 40, 50, 60}};
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "intervox_write_png_test.png";
  WritePng(image, path);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&header, path.c_str()), 0);
  header.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> read(PNG_IMAGE_SIZE(header));
  ASSERT_NE(png_image_finish_read(&header, nullptr, read.data(), 0, nullptr), 0);
  EXPECT_EQ(header.width, 3U);
  EXPECT_EQ(header.height, 2U);
  EXPECT_EQ(read, image.rgb);
  std::filesystem::remove(path);
}

TEST(WritePng, NamesAnUnwritablePath) {
  const Image image{1, 1, {0, 0, 0}};
  try {
    WritePng(image, "/nowhere/at/all.png");
    FAIL() << "wrote into a folder that does not exist";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all.png"), std::string::npos);
  }
}

}  // namespace
}  // namespace intervox::host
