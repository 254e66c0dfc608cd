// A resumed run is the same run, bit for bit; damaged files are refused.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/input/error.h"
#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Fixed;
using scenes::Free;
using scenes::Frictional;
using scenes::MakeScene;
using scenes::Solid;

/** A box that tumbles onto a floor and into a wall, and a held one that is pressed onto it. */
Scene Busy() {
  Scene scene = MakeScene(Frictional(1e8, 0.6, 0.3));
  scene.source = "busy";
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["wall"] = Solid(geometry::Box{{0.1, 1, 1}}, "wall", {{}, {0.3, 0, 0}});
  scene.shapes["box"] = Solid(geometry::Box{{0.2, 0.1, 0.06}}, "box");
  scene.bodies = {Fixed("floor", "floor"), Fixed("wall", "wall"),
                  Free("box", "box", 2, {0, 0, 0.11}, {1, 0.2, 0}, {1, -2, 1}),
                  Free("held", "box", 1, {0, 0.5, 0.04})};
  Holder holder;
  holder.stiffness = {500, 500, 500};
  holder.damping = {20, 20, 20};
  holder.rotational_stiffness = {5, 5, 5};
  holder.rotational_damping = {0.1, 0.1, 0.1};
  holder.target.keys = {{0, {0, 0.5, 0.04}, {}, {}, {}}, {0.1, {0.02, 0.5, 0}, {}, {}, {}}};
  scene.bodies[3].holder = holder;
  return scene;
}

std::filesystem::path File(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) /
         ("intervox-" + std::to_string(::getpid()) + "-" + name);
}

template <class T>
bool SameBits(const T& a, const T& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

void ExpectSameBits(const Simulation& a, const Simulation& b) {
  ASSERT_EQ(a.Time(), b.Time());
  for (std::size_t k = 0; k < a.State().size(); ++k) {
    EXPECT_TRUE(SameBits(a.State()[k], b.State()[k])) << "body " << k << " at " << a.Time();
  }
  ASSERT_EQ(a.Contacts().size(), b.Contacts().size());
  for (std::size_t k = 0; k < a.Contacts().size(); ++k) {
    const ContactReport &p = a.Contacts()[k], &q = b.Contacts()[k];
    EXPECT_EQ(p.id, q.id);
    EXPECT_TRUE(SameBits(p.geometry, q.geometry));
    EXPECT_TRUE(SameBits(p.state, q.state));
    EXPECT_TRUE(SameBits(p.latch, q.latch));
    EXPECT_EQ(p.f_n, q.f_n);
    EXPECT_EQ(p.since, q.since);
  }
  EXPECT_TRUE(SameBits(a.Energy(), b.Energy()));
  ASSERT_EQ(a.Impacts().size(), b.Impacts().size());
  for (std::size_t k = 0; k < a.Impacts().size(); ++k) {
    EXPECT_EQ(a.Impacts()[k].peak_force, b.Impacts()[k].peak_force);
  }
  EXPECT_EQ(a.RestingFor(), b.RestingFor());
  for (std::size_t k = 0; k < a.PeakForces().size(); ++k) {
    EXPECT_TRUE(SameBits(a.PeakForces()[k], b.PeakForces()[k])) << "body " << k;
  }
  EXPECT_EQ(a.Counters().solver_iterations, b.Counters().solver_iterations);
  EXPECT_EQ(a.Counters().engine_failures, b.Counters().engine_failures);
}

TEST(CheckpointTest, ResumesBitForBitAtAnyStep) {
  const auto path = File("resume");
  Simulation whole(Busy());
  std::vector<std::unique_ptr<Simulation>> resumed;
  std::size_t impacts = 0;
  for (int k = 0; k <= 1600; ++k) {
    // Every now and then, and in the steps that follow an impact.
    const bool struck = whole.Impacts().size() != impacts && resumed.size() < 40;
    impacts = whole.Impacts().size();
    if (k % 97 == 0 || k == 1 || struck) {
      whole.Save(path);
      resumed.push_back(std::make_unique<Simulation>(Busy()));
      // From another point of the run, so that nothing may linger.
      for (int j = 0; j < k % 7; ++j) resumed.back()->Step();
      resumed.back()->Restore(path);
      ExpectSameBits(whole, *resumed.back());
    }
    whole.Step();
    for (auto& other : resumed) other->Step();
  }
  EXPECT_GT(whole.Impacts().size(), 3U);
  for (auto& other : resumed) ExpectSameBits(whole, *other);
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".new"));
  std::filesystem::remove(path);
}

// What bilinear laws remember, both bodies' springs and Hertz' form are in the file.
TEST(CheckpointTest, ResumesLawsThatRemember) {
  const auto path = File("remember");
  for (const std::string law : {"stronge", "chatterjee", "gonthier"}) {
    Scene scene = Busy();
    ContactModelSettings& model = scene.contact_models["default"];
    model.friction = {"goyal", {{"mu", 0.3}, {"stiffness", 1e5}, {"damping", 50}}, {}};
    if (law == "gonthier") {
      model.geometry = ContactGeometry::kPoints;
      model.rolling = {"none", {}, {}};
      scene.materials["steel"].youngs_modulus = 2e9;
      scene.shapes["box"] = Solid(geometry::Ellipsoid{{0.1, 0.05, 0.04}}, "box");
      for (BodySettings& body : scene.bodies) body.material = "steel";
      model.normal = {law, {{"restitution", 0.6}}, {}};
    } else {
      model.normal = {law, {{"stiffness", 1e8}, {"restitution", 0.6}}, {}};
    }
    Simulation whole(scene);
    std::vector<std::unique_ptr<Simulation>> resumed;
    int remembering = 0;
    for (int k = 0; k <= 1200; ++k) {
      bool remembers = false;
      for (const ContactReport& contact : whole.Contacts()) {
        remembers = remembers || contact.latch.V_max > 0.0 || contact.latch.form != 1.0;
      }
      if (remembers && k % 23 == 0 && resumed.size() < 12) {
        ++remembering;
        whole.Save(path);
        resumed.push_back(std::make_unique<Simulation>(scene));
        resumed.back()->Restore(path);
        ExpectSameBits(whole, *resumed.back());
      }
      whole.Step();
      for (auto& other : resumed) other->Step();
    }
    EXPECT_GT(remembering, 3) << law;
    for (auto& other : resumed) ExpectSameBits(whole, *other);
  }
  std::filesystem::remove(path);
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(CheckpointTest, RefusesDamagedAndForeignFiles) {
  const auto path = File("damaged");
  Simulation simulation(Busy());
  for (int k = 0; k < 500; ++k) simulation.Step();
  simulation.Save(path);
  const std::string good = Read(path);
  const double x = simulation.State()[2].p_WM.x;
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{39}, std::size_t{48},
                                   good.size() / 2, good.size() - 1}) {
    Write(path, good.substr(0, length));
    EXPECT_THROW(simulation.Restore(path), host::InputError) << length;
  }
  for (std::size_t at = 0; at < good.size(); at += 13) {
    if (at >= 12 && at < 16) continue;  // reserved bytes
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    Write(path, bad);
    EXPECT_THROW(simulation.Restore(path), host::InputError) << at;
  }
  EXPECT_THROW(simulation.Restore(File("absent")), host::InputError);

  Scene other = Busy();
  other.bodies[2].v_WB.x = 1.5;
  Simulation foreign(other);
  Write(path, good);
  try {
    foreign.Restore(path);
    FAIL() << "a foreign checkpoint was taken";
  } catch (const host::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("another scene"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
  }
  // Refusals have left the state alone.
  EXPECT_EQ(simulation.State()[2].p_WM.x, x);
  simulation.Restore(path);
  std::filesystem::remove(path);
}

TEST(CheckpointTest, SaysWhereItCannotWrite) {
  Simulation simulation(Busy());
  try {
    simulation.Save("/nowhere/at/all.checkpoint");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all.checkpoint"), std::string::npos);
  }
}

}  // namespace
}  // namespace intervox
