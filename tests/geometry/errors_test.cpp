// Bad input: each message names the node, the value and the remedy.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "geometry/solid.h"
#include "random_shapes.h"

namespace intervox::geometry {
namespace {

std::string MessageOf(const Shape& shape) {
  try {
    ToCells(shape);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

void ExpectMessage(const Shape& shape, const std::vector<std::string>& parts) {
  const std::string message = MessageOf(shape);
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << message << "' lacks " << part;
  }
}

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Errors, SizesMustBePositiveAndFinite) {
  const std::vector<std::string> remedy{"shape 'part'", "positive finite"};
  for (const double bad : {0.0, -1.0, kInf, kNan}) {
    for (const Primitive& primitive :
         std::vector<Primitive>{Box{{1, bad, 1}}, Sphere{bad}, Ellipsoid{{1, 1, bad}},
                                Cylinder{bad, 1}, Cylinder{1, bad}, Cone{1, 0, bad},
                                Capsule{bad, 1}, Capsule{1, bad}, Torus{bad, 0.1}, Torus{1, bad}}) {
      ExpectMessage(*Leaf(primitive, {}, "part"), remedy);
    }
  }
  ExpectMessage(*Leaf(Box{{1, -2.5, 1}}, {}, "part"), {"size[1]", "-2.5"});
  ExpectMessage(*Leaf(Sphere{1e200}, {}, "part"), {"radius", "1e+200", "1e12"});
  ExpectMessage(*Leaf(Sphere{1e-200}, {}, "part"), {"radius", "1e-200"});
  ExpectMessage(*Leaf(Sphere{1}, At(0, -1e50, 0), "part"), {"pose.position[1]", "1e12"});
  ExpectMessage(*Leaf(Quadric{{1e-300, 1e-300, 1e-300, 0, 0, 0, 0, 0, 0, -1}}, {}, "part"),
                {"size of the quadric", "1e12"});
  ExpectMessage(*Leaf(Cone{-1, 2, 1}, {}, "part"), {"radius_bottom", "-1", "at least 0"});
  ExpectMessage(*Leaf(Cone{0, 0, 1}, {}, "part"), {"radius_bottom", "must be positive"});
  ExpectMessage(*Leaf(Torus{1, 1}, {}, "part"), {"minor_radius", "below major_radius"});
}

TEST(Errors, PlanesAndHulls) {
  ExpectMessage(*Leaf(HalfSpace{{0, 0, 0}, 1}), {"shape 'half_space'", "normal", "not zero"});
  ExpectMessage(*Leaf(HalfSpace{{0, kNan, 0}, 1}), {"normal[1]", "finite"});
  ExpectMessage(*Leaf(HalfSpace{{0, 1, 0}, kInf}), {"offset", "finite"});
  ExpectMessage(*Leaf(Convex{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}), {"at least four"});
  ExpectMessage(*Leaf(Convex{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {.3, .3, 0}}}),
                {"flat", "one plane"});
  ExpectMessage(*Leaf(Convex{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}}), {"flat"});
  ExpectMessage(*Leaf(Convex{{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}), {"flat"});
  ExpectMessage(*Leaf(Convex{{{0, 0, 0}, {1, kNan, 0}, {0, 1, 0}, {0, 0, 1}}}), {"vertices[1]"});
  ExpectMessage(*Leaf(HalfSpaces{}), {"empty list"});
  ExpectMessage(*Leaf(HalfSpaces{{{{1, 0, 0}, -1}, {{-1, 0, 0}, -1}}}), {"no common interior"});
  ExpectMessage(*Leaf(HalfSpaces{{{{1, 0, 0}, 1}, {{-1, 0, 0}, -1}}}), {"no common interior"});
  ExpectMessage(*Leaf(HalfSpaces{{{{1, 0, 0}, 1}, {{0, 0, 0}, -1}}}), {"half_spaces[1]", "normal"});
}

TEST(Errors, Quadrics) {
  ExpectMessage(*Leaf(Quadric{{1, 1, 1, 0, 0, 0, 0, 0, 0, 1}}), {"no interior"});
  ExpectMessage(*Leaf(Quadric{{1, 1, 1, 0, 0, 0, 0, 0, 0, 0}}), {"no interior"});
  ExpectMessage(*Leaf(Quadric{{1, 1, 0, 0, 0, 0, 0, 0, 0, 1}}), {"no interior"});
  ExpectMessage(*Leaf(Quadric{{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}), {"no interior"});
  ExpectMessage(*Leaf(Quadric{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}), {"fills all of space"});
  ExpectMessage(*Leaf(Quadric{{-1, 0, 0, 0, 0, 0, 0, 0, 0, -1}}), {"fills all of space"});
  ExpectMessage(*Leaf(Quadric{{kNan, 0, 0, 0, 0, 0, 0, 0, 0, -1}}), {"coefficients[0]"});
}

TEST(Errors, NodesAndOperations) {
  ExpectMessage(*Leaf(Sphere{1}, {}, "ball", 0.0), {"shape 'ball'", "scale", "positive"});
  ExpectMessage(*Leaf(Sphere{1}, At(kNan, 0, 0), "ball"), {"pose.position[0]"});
  const Mat3 mirrored = Mat3::Diagonal({1, 1, -1});
  ExpectMessage(*Leaf(Sphere{1}, {mirrored, {}}, "ball"), {"rotation"});
  ExpectMessage(*Leaf(Sphere{1}, {2 * Mat3::Identity(), {}}, "ball"), {"rotation"});
  ExpectMessage(*Tree(Operation::kUnion, {}, "all"), {"shape 'all'", "no operands"});
  ExpectMessage(*Tree(Operation::kUnion, {nullptr}), {"shape 'union'", "missing"});
  ExpectMessage(*Tree(Operation::kDifference, {Leaf(Sphere{1}), Leaf(Box{{3, 3, 3}})}, "gone"),
                {"shape 'gone'", "empty", "Check the operands"});
  ExpectMessage(
      *Tree(Operation::kIntersection, {Leaf(Sphere{1}), Leaf(Sphere{1}, At(2.5, 0, 0))}, "gone"),
      {"shape 'gone'", "empty"});
  // The place is the path to the node.
  ExpectMessage(
      *Tree(Operation::kUnion,
            {Leaf(Sphere{1}), Tree(Operation::kUnion, {Leaf(Sphere{-1})}, "inner")}, "outer"),
      {"shape 'outer/inner/sphere'", "radius", "-1"});
  // Operands that a file leaves nameless are named by their whole path.
  ExpectMessage(*Tree(Operation::kUnion,
                      {Leaf(Sphere{1}, {}, "s/0"),
                       Tree(Operation::kUnion, {Leaf(Sphere{-1}, {}, "s/1/0")}, "s/1")},
                      "s"),
                {"shape 's/1/0': radius"});
  EXPECT_THROW(Solid(*Leaf(Sphere{-1})), std::invalid_argument);
  EXPECT_THROW(MakeCell({}, "nothing"), std::invalid_argument);
}

}  // namespace
}  // namespace intervox::geometry
