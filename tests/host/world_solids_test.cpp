// Bodies of one shape share one solid: it is cut, boxed and weighed once.
#include <gtest/gtest.h>

#include "host/scene/reader.h"
#include "host/world/world.h"

namespace intervox::host {
namespace {

TEST(Solids, BodiesOfOneShapeShareItsCells) {
  const auto world = MakeWorld(ParseScene(
      "schema: intervox/scene/2\n"
      "shapes:\n"
      "  ring: {difference: [{cylinder: {radius: 2, height: 1}}, {cylinder: {radius: 1, height: "
      "2}}]}\n"
      "  also: {ref: ring}\n"
      "materials: {steel: {density: 7800}, wood: {density: 600}}\n"
      "contact_models: {default: {normal: {model: gonthier, stiffness: 1e9, restitution: 0.5}}}\n"
      "bodies:\n"
      "  a: {shape: ring, material: steel}\n"
      "  b: {shape: ring, material: wood, pose: {position: [9, 0, 0]}}\n"
      "  c: {shape: ring, material: steel, pose: {position: [18, 0, 0]}}\n"
      "  d: {shape: also, material: steel, pose: {position: [27, 0, 0]}}\n",
      "test.yaml", {}));
  ASSERT_EQ(world->cells[0].size(), 4u);  // a ring in sectors
  EXPECT_EQ(world->cells[0].data(), world->cells[1].data());
  EXPECT_EQ(world->cells[0].data(), world->cells[2].data());
  EXPECT_NE(world->cells[0].data(), world->cells[3].data());  // a shape of its own
  EXPECT_EQ(&world->boxes[0], &world->boxes[1]);
  EXPECT_EQ(world->whole[0].size(), 1u);
  EXPECT_EQ(world->whole[0].data(), world->whole[2].data());
  // Weighed by each body's own density.
  EXPECT_NEAR(world->start[1].mass / world->start[0].mass, 600.0 / 7800, 1e-12);
  EXPECT_EQ(world->start[2].mass, world->start[0].mass);
}

}  // namespace
}  // namespace intervox::host
