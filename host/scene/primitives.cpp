// One Format for each primitive. A primitive without one, or with a part of it missing, does not
// compile.
#include "host/scene/primitives.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "geometry/primitives/box.h"
#include "geometry/primitives/capsule.h"
#include "geometry/primitives/cone.h"
#include "geometry/primitives/convex.h"
#include "geometry/primitives/cylinder.h"
#include "geometry/primitives/ellipsoid.h"
#include "geometry/primitives/extrude.h"
#include "geometry/primitives/fillet.h"
#include "geometry/primitives/half_space.h"
#include "geometry/primitives/half_spaces.h"
#include "geometry/primitives/pieces.h"
#include "geometry/primitives/prism.h"
#include "geometry/primitives/quadric.h"
#include "geometry/primitives/revolve.h"
#include "geometry/primitives/rounded_box.h"
#include "geometry/primitives/sphere.h"
#include "geometry/primitives/thread.h"
#include "geometry/primitives/torus.h"
#include "geometry/primitives/wedge.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

using namespace geometry;  // NOLINT(google-build-using-namespace): the primitives, local to a file

HalfSpace ReadHalfSpace(const Cursor& c) {
  const Vec3 normal = c.At("normal").Vector();
  const double norm = Norm(normal);
  if (!(norm > 1e-12)) c.At("normal").Fail("the normal is zero", "Give a direction.");
  return {normal / norm, c.At("offset").Number() / norm};
}

/** Whether points lie in one plane, up to 1e-9 of their extent. */
bool Flat(const std::vector<Vec3>& points) {
  const Vec3 a = points.front();
  const auto farthest = [&](auto distance) {
    return *std::max_element(points.begin(), points.end(), [&](const Vec3& x, const Vec3& y) {
      return distance(x) < distance(y);
    });
  };
  const Vec3 b = farthest([&](const Vec3& p) { return Norm(p - a); });
  const double extent = Norm(b - a);
  if (!(extent > 0)) return true;
  const Vec3 u = (b - a) / extent;
  const Vec3 c = farthest([&](const Vec3& p) { return Norm(Cross(p - a, u)); });
  const Vec3 normal = Cross(c - a, u);
  if (!(Norm(normal) > 1e-9 * extent)) return true;
  const Vec3 n = Normalized(normal);
  const Vec3 d = farthest([&](const Vec3& p) { return std::fabs(Dot(p - a, n)); });
  return !(std::fabs(Dot(d - a, n)) > 1e-9 * extent);
}

std::string HalfSpaceText(const HalfSpace& s) {
  return "{normal: " + Text(s.normal) + ", offset: " + Text(s.offset) + "}";
}

template <class T, class F>
std::string ListText(const T& items, F&& text) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : ", ") + text(item);
  return "[" + list + "]";
}

/** How a primitive stands in files:
    kNoun, a few words for the table of keys; Keys(), the object of its keys, or nothing where its
    key holds a list of another's; Read(cursor) and Write(primitive). */
template <class P>
struct Format;

/** A size of a primitive, a number or a vector, with its key. */
template <class P, class T>
struct Field {
  const char* key;
  T P::*member;
  Range range;
  const char* doc;
};
template <class P, class T>
Field(const char*, T P::*, Range, const char*) -> Field<P, T>;  // clang 14 does not deduce it

/** Keys, reader and writer of a primitive that is no more than its Fields(). */
template <class P>
struct Sizes {
  template <class F>
  static void ForEachField(F&& f) {
    std::apply([&](const auto&... field) { (f(field), ...); }, Format<P>::Fields());
  }
  static std::optional<Object> Keys() {
    Object object{KeyOf(P{}), Format<P>::kDoc, {}, {}, {}};
    ForEachField([&]<class T>(const Field<P, T>& f) {
      constexpr bool kIsVector = std::is_same_v<T, Vec3>;
      object.keys.push_back({f.key, kIsVector ? Type::kVector : Type::kNumber, f.range, "", true,
                             kIsVector ? 3 : 0, f.doc});
    });
    return object;
  }
  static P Read(const Cursor& c) {
    P primitive;
    ForEachField([&]<class T>(const Field<P, T>& f) {
      if constexpr (std::is_same_v<T, Vec3>) {
        primitive.*f.member = c.At(f.key).Vector();
      } else {
        primitive.*f.member = c.At(f.key).Number();
      }
    });
    return primitive;
  }
  static std::string Write(const P& primitive) {
    std::string text;
    ForEachField([&](const auto& f) {
      text += (text.empty() ? "" : ", ") + std::string(f.key) + ": " + Text(primitive.*f.member);
    });
    return "{" + text + "}";
  }
};

template <>
struct Format<HalfSpace> {
  static constexpr const char* kNoun = "A half-space.";
  static std::optional<Object> Keys() {
    return Object{"half_space",
                  "The solid normal·p <= offset; the normal is normalised, the offset with it.",
                  {{"normal", Type::kVector, kAny, "", true, 3, "Outward normal, not zero."},
                   {"offset", Type::kNumber, kLength, "", true, 0, "[m] with a unit normal."}},
                  {},
                  {}};
  }
  static HalfSpace Read(const Cursor& c) { return ReadHalfSpace(c); }
  static std::string Write(const HalfSpace& s) { return HalfSpaceText(s); }
};

template <>
struct Format<Box> : Sizes<Box> {
  static constexpr const char* kNoun = "A box.";
  static constexpr const char* kDoc = "A centred box.";
  static auto Fields() { return std::tuple{Field{"size", &Box::size, kSize, "Edge lengths [m]."}}; }
};

template <>
struct Format<Sphere> : Sizes<Sphere> {
  static constexpr const char* kNoun = "A ball.";
  static constexpr const char* kDoc = "A centred ball.";
  static auto Fields() { return std::tuple{Field{"radius", &Sphere::radius, kSize, "[m]"}}; }
};

template <>
struct Format<Ellipsoid> : Sizes<Ellipsoid> {
  static constexpr const char* kNoun = "An ellipsoid.";
  static constexpr const char* kDoc = "A centred ellipsoid.";
  static auto Fields() {
    return std::tuple{Field{"radii", &Ellipsoid::radii, kSize, "Semi-axes along x, y, z [m]."}};
  }
};

template <>
struct Format<Cylinder> : Sizes<Cylinder> {
  static constexpr const char* kNoun = "A cylinder.";
  static constexpr const char* kDoc = "A centred cylinder along z.";
  static auto Fields() {
    return std::tuple{Field{"radius", &Cylinder::radius, kSize, "[m]"},
                      Field{"height", &Cylinder::height, kSize, "[m]"}};
  }
};

template <>
struct Format<Cone> : Sizes<Cone> {
  static constexpr const char* kNoun = "A cone or frustum.";
  static constexpr const char* kDoc = "A centred frustum along z; one radius may be 0.";
  static auto Fields() {
    return std::tuple{
        Field{"radius_bottom", &Cone::radius_bottom, kRadius, "At z = -height/2 [m]."},
        Field{"radius_top", &Cone::radius_top, kRadius, "At z = height/2 [m]."},
        Field{"height", &Cone::height, kSize, "[m]"}};
  }
  static Cone Read(const Cursor& c) {
    const Cone cone = Sizes<Cone>::Read(c);
    if (cone.radius_bottom == 0 && cone.radius_top == 0) {
      c.Fail("both radii are 0", "Make one of them positive.");
    }
    return cone;
  }
};

template <>
struct Format<Capsule> : Sizes<Capsule> {
  static constexpr const char* kNoun = "A capsule.";
  static constexpr const char* kDoc = "A centred cylinder along z with two half balls.";
  static auto Fields() {
    return std::tuple{Field{"radius", &Capsule::radius, kSize, "[m]"},
                      Field{"length", &Capsule::length, kSize, "Of the cylindrical part [m]."}};
  }
};

template <>
struct Format<Torus> : Sizes<Torus> {
  static constexpr const char* kNoun = "A torus.";
  static constexpr const char* kDoc = "A centred ring around z.";
  static auto Fields() {
    return std::tuple{
        Field{"major_radius", &Torus::major_radius, kSize, "Axis to centre of the tube [m]."},
        Field{"minor_radius", &Torus::minor_radius, kSize, "Of the tube [m]."}};
  }
};

template <>
struct Format<Quadric> {
  static constexpr const char* kNoun = "A general quadric.";
  static std::optional<Object> Keys() {
    return Object{
        "quadric",
        "The solid q <= 0, q = xx x² + yy y² + zz z² + xy x y + xz x z + yz y z + x x + y y + "
        "z z + c.",
        {{"coefficients", Type::kNumbers, kAny, "", true, 10,
          "[xx, yy, zz, xy, xz, yz, x, y, z, c], no factor 2."}},
        {},
        {}};
  }
  static Quadric Read(const Cursor& c) {
    const std::vector<double> q = c.At("coefficients").Numbers(10);
    if (std::all_of(q.begin(), q.end() - 1, [](double x) { return x == 0; })) {
      c.At("coefficients").Fail("all but the constant are 0", "This is no surface; give one.");
    }
    Quadric quadric;
    std::copy(q.begin(), q.end(), quadric.coefficients.begin());
    return quadric;
  }
  static std::string Write(const Quadric& s) {
    return "{coefficients: " + ListText(s.coefficients, [](double x) { return Text(x); }) + "}";
  }
};

template <>
struct Format<Convex> {
  static constexpr const char* kNoun = "A convex hull.";
  static std::optional<Object> Keys() {
    return Object{"convex",
                  "The convex hull of points.",
                  {{"vertices", Type::kPoints, kLength, "", true, 4, "At least four points [m]."}},
                  {},
                  {}};
  }
  static Convex Read(const Cursor& c) {
    Convex convex;
    const Cursor list = c.At("vertices");
    for (int i = 0; i < list.Count(); ++i) convex.vertices.push_back(list.Item(i).Vector());
    if (Flat(convex.vertices)) {
      list.Fail("the points lie in one plane", "Give points that span a volume.");
    }
    return convex;
  }
  static std::string Write(const Convex& s) {
    return "{vertices: " + ListText(s.vertices, [](const Vec3& p) { return Text(p); }) + "}";
  }
};

template <>
struct Format<HalfSpaces> {
  static constexpr const char* kNoun = "The intersection of half-spaces.";
  static std::optional<Object> Keys() { return std::nullopt; }  // a list of half_space
  static HalfSpaces Read(const Cursor& c) {
    HalfSpaces half_spaces;
    for (int i = 0; i < c.Count(); ++i) half_spaces.half_spaces.push_back(ReadHalfSpace(c.Item(i)));
    return half_spaces;
  }
  static std::string Write(const HalfSpaces& s) { return ListText(s.half_spaces, HalfSpaceText); }
};

template <>
struct Format<Prism> {
  static constexpr const char* kNoun = "A regular prism.";
  static std::optional<Object> Keys() {
    return Object{
        "prism",
        "A centred prism over a regular polygon, along z, a corner on the +x axis.",
        {{"sides", Type::kNumber, {3, kMostPrismSides, false}, "", true, 0, "Of the polygon."},
         {"radius", Type::kNumber, kSize, "", true, 0, "Of the circle through the corners [m]."},
         {"height", Type::kNumber, kSize, "", true, 0, "[m]"}},
        {},
        {}};
  }
  static Prism Read(const Cursor& c) {
    const double sides = c.At("sides").Number();
    if (sides != std::floor(sides)) c.At("sides").Fail("no whole number", "Give one.");
    return {static_cast<int>(sides), c.At("radius").Number(), c.At("height").Number()};
  }
  static std::string Write(const Prism& s) {
    return "{sides: " + Text(static_cast<double>(s.sides)) + ", radius: " + Text(s.radius) +
           ", height: " + Text(s.height) + "}";
  }
};

template <>
struct Format<Thread> {
  static constexpr const char* kNoun = "A screw thread, of a bolt or a nut.";
  static std::optional<Object> Keys() {
    return Object{
        "thread",
        "A centred screw thread about z, of flat pieces; at z = 0 its crest passes the +x axis. "
        "Where "
        "root_radius is above radius it is the ridge of a nut, without its body.",
        {{"radius", Type::kNumber, kSize, "", true, 0, "Of the crest, to the corners [m]."},
         {"root_radius", Type::kNumber, kSize, "", true, 0, "Of the root, to the corners [m]."},
         {"pitch", Type::kNumber, kLength, "", true, 0,
          "Rise with each turn [m]; negative: left-handed."},
         {"length", Type::kNumber, kSize, "", true, 0, "Between its ends [m]."},
         {"crest", Type::kNumber, kSize, "", true, 0, "Width of the crest along z [m]."},
         {"flank_deg",
          Type::kNumber,
          {0, kMostFlankDeg, false},
          "",
          false,
          0,
          "Angle between the flanks [°]; default 60."},
         {"sides",
          Type::kNumber,
          {3, kMostPrismSides, false},
          "",
          true,
          0,
          "Flat pieces in a turn."}},
        {},
        {}};
  }
  static Thread Read(const Cursor& c) {
    const double sides = c.At("sides").Number();
    if (sides != std::floor(sides)) c.At("sides").Fail("no whole number", "Give one.");
    return {c.At("radius").Number(), c.At("root_radius").Number(), c.At("pitch").Number(),
            c.At("length").Number(), c.At("crest").Number(),       c.Number("flank_deg", 60.0),
            static_cast<int>(sides)};
  }
  static std::string Write(const Thread& s) {
    return "{radius: " + Text(s.radius) + ", root_radius: " + Text(s.root_radius) +
           ", pitch: " + Text(s.pitch) + ", length: " + Text(s.length) +
           ", crest: " + Text(s.crest) + ", flank_deg: " + Text(s.flank_deg) +
           ", sides: " + Text(static_cast<double>(s.sides)) + "}";
  }
};

template <>
struct Format<Wedge> : Sizes<Wedge> {
  static constexpr const char* kNoun = "A wedge.";
  static constexpr const char* kDoc = "A centred box whose +x side leans in to a shorter top.";
  static auto Fields() {
    return std::tuple{Field{"size", &Wedge::size, kSize, "Edge lengths of the box [m]."},
                      Field{"top", &Wedge::top, kRadius, "Length in x at the top [m]."}};
  }
};

template <>
struct Format<RoundedBox> : Sizes<RoundedBox> {
  static constexpr const char* kNoun = "A box with round edges.";
  static constexpr const char* kDoc = "A centred box with round edges and corners.";
  static auto Fields() {
    return std::tuple{Field{"size", &RoundedBox::size, kSize, "Edge lengths [m]."},
                      Field{"radius", &RoundedBox::radius, kSize, "Of the edges [m]."}};
  }
};

template <>
struct Format<Fillet> : Sizes<Fillet> {
  static constexpr const char* kNoun = "A round filling of an edge.";
  static constexpr const char* kDoc =
      "What fills the corner between the walls x = 0 and y = 0, up to a quarter of a cylinder that "
      "touches both; along z, centred in z. Taken away from an edge it rounds it.";
  static auto Fields() {
    return std::tuple{Field{"radius", &Fillet::radius, kSize, "Of the cylinder [m]."},
                      Field{"length", &Fillet::length, kSize, "Along the edge [m]."}};
  }
};

constexpr const char* kOutlineDoc =
    "Corners [x, y, bulge] in order: bulge, the tangent of a quarter of the angle of the arc to "
    "the "
    "next corner, is 0 for a line, 1 for a half circle, positive where it turns left.";

std::vector<OutlinePoint> ReadOutline(const Cursor& c) {
  std::vector<OutlinePoint> outline;
  const Cursor list = c.At("outline");
  for (int i = 0; i < list.Count(); ++i) {
    const Vec3 p = list.Item(i).Vector();
    outline.push_back({p.x, p.y, p.z});
  }
  return outline;
}

std::string OutlineText(const std::vector<OutlinePoint>& outline) {
  return "outline: " + ListText(outline, [](const OutlinePoint& p) {
           return Text(Vec3{p.x, p.y, p.bulge});
         });
}

template <>
struct Format<Extrude> {
  static constexpr const char* kNoun = "An outline drawn out.";
  static std::optional<Object> Keys() {
    return Object{"extrude",
                  "An outline of lines and arcs, drawn out along z, centred in z.",
                  {{"outline", Type::kPoints, kLength, "", true, 2, kOutlineDoc},
                   {"height", Type::kNumber, kSize, "", true, 0, "[m]"}},
                  {},
                  {}};
  }
  static Extrude Read(const Cursor& c) { return {ReadOutline(c), c.At("height").Number()}; }
  static std::string Write(const Extrude& s) {
    return "{" + OutlineText(s.outline) + ", height: " + Text(s.height) + "}";
  }
};

template <>
struct Format<Revolve> {
  static constexpr const char* kNoun = "An outline turned about z.";
  static std::optional<Object> Keys() {
    return Object{"revolve",
                  "An outline of lines and arcs turned about z: x is the distance from the axis, y "
                  "the height.",
                  {{"outline", Type::kPoints, kLength, "", true, 2, kOutlineDoc}},
                  {},
                  {}};
  }
  static Revolve Read(const Cursor& c) { return {ReadOutline(c)}; }
  static std::string Write(const Revolve& s) { return "{" + OutlineText(s.outline) + "}"; }
};

/** Calls f(P{}) for each alternative P of Primitive, in their order. */
template <class F>
void ForEachPrimitive(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::variant_alternative_t<I, Primitive>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Primitive>>{});
}

/** Refuses sizes that each lie in their range and together make no solid. Those of other primitives
 always do, or are judged by their readers. */
void RequireThatSizesFit(const Primitive& primitive, const Cursor& cursor) {
  const bool may_not_fit = std::visit(
      []<class P>(const P&) {
        return std::is_same_v<P, RoundedBox> || std::is_same_v<P, Wedge> ||
               std::is_same_v<P, Torus> || std::is_same_v<P, Thread> ||
               std::is_same_v<P, Extrude> || std::is_same_v<P, Revolve> ||
               std::is_same_v<P, Quadric> || std::is_same_v<P, HalfSpaces>;
      },
      primitive);
  if (!may_not_fit) return;
  try {
    ToPieces(primitive, cursor.Path());
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what(), start = cursor.Path() + ": ";
    cursor.Fail(what.starts_with(start) ? what.substr(start.size()) : what, "");
  }
}

}  // namespace

std::vector<Key> PrimitiveKeys() {
  std::vector<Key> keys;
  ForEachPrimitive([&]<class P>(const P& p) {
    const bool object = Format<P>::Keys().has_value();
    keys.push_back({KeyOf(p), object ? Type::kObject : Type::kObjects, kAny,
                    object ? KeyOf(p) : "half_space", false, object ? 0 : 1, Format<P>::kNoun});
  });
  return keys;
}

std::vector<Object> PrimitiveObjects() {
  std::vector<Object> objects;
  ForEachPrimitive([&]<class P>(const P&) {
    if (std::optional<Object> keys = Format<P>::Keys()) objects.push_back(std::move(*keys));
  });
  return objects;
}

Primitive ReadPrimitive(const Cursor& cursor, const std::string& key) {
  std::optional<Primitive> read;
  ForEachPrimitive([&]<class P>(const P& p) {
    if (key == KeyOf(p)) read = Format<P>::Read(cursor);
  });
  if (!read) cursor.Fail("'" + key + "' is not a primitive", "Give one.");
  RequireThatSizesFit(*read, cursor);
  return *read;
}

std::string PrimitiveText(const Primitive& primitive) {
  return std::visit(
      []<class P>(const P& p) { return std::string(KeyOf(p)) + ": " + Format<P>::Write(p); },
      primitive);
}

}  // namespace intervox::host
