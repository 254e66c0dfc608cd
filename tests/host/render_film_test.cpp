#include "host/render/film.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/input/error.h"
#include "host/results/column_file.h"

namespace intervox::host {
namespace {

constexpr const char* kScene = R"(schema: intervox/scene/1
name: ball on a floor
gravity: [0, 0, -9.81]
duration: 1.0
shapes:
  ball: {sphere: {radius: 0.1}}
  floor: {half_space: {normal: [0, 0, 1], offset: 0}}
materials:
  steel: {density: 7800, foundation_stiffness: 1e9, restitution: 0.5}
bodies:
  ball: {shape: ball, material: steel, pose: {position: [0, 0, 0.1]}}
  floor: {shape: floor, fixed: true, material: steel}
)";

/** A results file of three samples: the ball moves along x to x_end, and in the last one it
 * touches. */
std::filesystem::path WriteResults(const std::string& name, const std::string& schema,
                                   double x_end = 1, const std::string& scene = kScene) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("intervox_film_" + name + ".h5");
  ColumnFile file = ColumnFile::Create(path);
  file.SetAttribute("schema", schema);
  file.SetAttribute("scene", scene);
  const auto put = [&](const std::string& column, int width, const std::vector<double>& values) {
    file.Put(file.Column(column, width, "1"), values);
  };
  put("time", 1, {0.0, 0.1, 0.2});
  put("bodies/ball/position", 3, {0, 0, 0.3, 0.5, 0, 0.2, x_end, 0, 0.1});
  put("bodies/ball/orientation", 4, {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
  put("bodies/floor/position", 3, std::vector<double>(9, 0.0));
  put("bodies/floor/orientation", 4, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const int index = file.Column("patches/time_index", 1, "1", true);
  file.PutInteger(index, 2);
  for (const auto& [body, number] : {std::pair{"body_i", 1}, std::pair{"body_j", 0}}) {
    file.PutInteger(file.Column(std::string("patches/") + body, 1, "1", true), number);
  }
  put("patches/volume", 1, {1e-7});
  put("patches/centroid", 3, {x_end, 0, 0});
  put("patches/normal", 3, {0, 0, -1});
  put("patches/inertia", 9, {1e-12, 0, 0, 0, 1e-12, 0, 0, 0, 2e-12});
  put("patches/area_vector", 3, {0, 0, -1e-4});
  put("patches/force", 3, {0, 0, -50});  // on body i, the floor
  file.Flush();
  return path;
}

TEST(Film, PosesBodiesAndContactsOfASample) {
  const std::filesystem::path path = WriteResults("poses", "intervox/results/1");
  const Film film(path);
  ASSERT_EQ(film.Samples(), 3);
  EXPECT_EQ(film.SampleAt(-1.0), 0);
  EXPECT_EQ(film.SampleAt(0.06), 1);
  EXPECT_EQ(film.SampleAt(0.04), 0);
  EXPECT_EQ(film.SampleAt(9.0), 2);
  EXPECT_EQ(film.Contacts(1), 0);
  EXPECT_EQ(film.Contacts(2), 1);

  const RenderScene frame = film.Frame(2, {});
  ASSERT_EQ(frame.bodies.size(), 2U);
  EXPECT_EQ(frame.bodies[0].X_WB.p, (Vec3{1, 0, 0.1}));
  EXPECT_NEAR(frame.bodies[0].X_WB.R(2, 2), -1, 1e-15);  // turned by 180° about x
  EXPECT_EQ(frame.camera.up_W, (Vec3{0, 0, 1}));         // against gravity
  ASSERT_EQ(frame.patches.size(), 1U);
  ASSERT_EQ(frame.arrows.size(), 1U);
  // The floor is fixed, so the arrow shows the opposite force, on the ball: upwards.
  EXPECT_GT(frame.arrows[0].vector.z, 0);
  EXPECT_EQ(frame.arrows[0].p_WP, (Vec3{1, 0, 0}));

  FilmOptions bare;
  bare.forces = bare.patches = false;
  EXPECT_TRUE(film.Frame(2, bare).arrows.empty());
  EXPECT_TRUE(film.Frame(2, bare).patches.empty());

  // A contact is not drawn where one of its bodies is cut away.
  FilmOptions cut;
  cut.cuts["floor"] = {{{1, 0, 0}, 1.1}};
  EXPECT_EQ(film.Frame(2, cut).arrows.size(), 1U);
  cut.cuts["floor"] = {{{1, 0, 0}, 0.9}};
  EXPECT_TRUE(film.Frame(2, cut).arrows.empty());
  std::filesystem::remove(path);
}

// A pendulum of a ball too small to be seen: its joint, a rod to it and a ball around it are drawn,
// move with it, and are within the picture.
TEST(Film, ShowsJointsAndSmallBodies) {
  std::string scene = kScene;
  const auto replace = [&](const std::string& from, const std::string& to) {
    scene.replace(scene.find(from), from.size(), to);
  };
  replace("radius: 0.1", "radius: 0.001");
  scene +=
      "joints:\n"
      "  hinge: {type: revolute, bodies: [ball, world], point: [0, 0, 1.3], axis: [0, 1, 0]}\n"
      "  rail: {type: prismatic, bodies: [ball, floor], axis: [0, 0, 1]}\n";
  const std::filesystem::path path = WriteResults("joints", "intervox/results/1", 1, scene);
  const Film film(path);
  const RenderScene frame = film.Frame(2, {});
  ASSERT_EQ(frame.bodies.size(), 5u);
  const auto bounds = [&](std::size_t k) { return frame.bodies[k].cells.front().bounds; };
  EXPECT_LT(Norm(bounds(2).X.p - Vec3{0, 0, 1}), 1e-12) << "the joint, in the ball's frame";
  EXPECT_LT(Norm(bounds(3).X.p - Vec3{0, 0, 0.5}), 1e-12) << "the rod's middle";
  EXPECT_LT(Norm(bounds(4).X.p), 1e-12);
  EXPECT_GT(bounds(4).half.x, 0.005 * film.Radius());
  for (std::size_t k = 2; k < 5; ++k) {
    EXPECT_LT(Norm(frame.bodies[k].X_WB.p - Vec3{1, 0, 0.1}), 1e-12);
  }
  EXPECT_GT(film.Radius(), 0.5) << "from the joint to the floor";
  std::filesystem::remove(path);
}

TEST(Film, ShowsTheBallWhereItIs) {
  const std::filesystem::path path = WriteResults("shows", "intervox/results/1");
  const Film film(path);
  FilmOptions options;
  options.width = 120;
  options.height = 80;
  options.eye = Vec3{1, -3, 0.1};
  options.target = Vec3{1, 0, 0.1};
  const Image with_ball = Render(film.Frame(2, options));
  const Image without = Render(film.Frame(0, options));
  const auto differs = [&](int i, int j) {
    return with_ball.At(i, j, 0) != without.At(i, j, 0) ||
           with_ball.At(i, j, 2) != without.At(i, j, 2);
  };
  EXPECT_TRUE(differs(60, 36));
  EXPECT_FALSE(differs(5, 5));
  std::filesystem::remove(path);
}

TEST(Film, TheCameraLeavesAloneWhatRollsAway) {
  for (const double x_end : {0.6, 9.0}) {
    const Film film(WriteResults("stays", "intervox/results/1", x_end));
    EXPECT_TRUE(film.FlownAway().empty()) << x_end;
    EXPECT_GT(film.Radius(), 0.5 * x_end);
  }
  for (const double x_end : {-12.0, 500.0}) {
    const Film film(WriteResults("rolls", "intervox/results/1", x_end));
    EXPECT_EQ(film.FlownAway(), std::vector<std::string>{"ball"}) << x_end;
    EXPECT_LT(film.Radius(), 0.6) << x_end;
  }
}

TEST(Film, NamesWhatIsWrong) {
  const std::filesystem::path path = WriteResults("wrong", "intervox/results/99");
  try {
    const Film film(path);
    FAIL() << "accepted another schema";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("intervox/results/99"), std::string::npos);
  }
  std::filesystem::remove(path);
  EXPECT_THROW(Film("/nowhere/at/all.h5"), InputError);

  const std::filesystem::path good = WriteResults("good", "intervox/results/1");
  const Film film(good);
  FilmOptions options;
  options.opacity["bal"] = 0.5;
  try {
    film.Frame(0, options);
    FAIL() << "accepted an unknown body";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("bal"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("floor"), std::string::npos);
  }
  std::filesystem::remove(good);
}

}  // namespace
}  // namespace intervox::host
