#include "host/parts/csg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string_view>
#include <utility>

#include "geometry/convex_hull.h"
#include "geometry/eigen3.h"
#include "host/input/error.h"
#include "host/input/place.h"
#include "host/parts/convex_shell.h"
#include "host/parts/csg_tree.h"
#include "host/parts/defects.h"
#include "host/parts/polygon_fan.h"

namespace intervox::host {
namespace {

using geometry::Operation;
using geometry::Shape;
using geometry::ShapePtr;

/** How far a printed matrix may be from a multiple of a rotation: six digits, rounded. */
constexpr double kPrinted = 2e-5;
/** The remedy for polyhedra that are not convex. */
const char* const kSplitIt =
    "Split it into convex pieces, for example with CoACD, or export the part as .stl and give it a "
    "'voxel_size'.";
/** Deepest nesting of operations in what is made: scenes that embed it stay below 64 levels. */
constexpr int kMostOperations = 24;

/** p_file = L p_local + t; a similarity has L = scale · rotation or reflection. */
struct Affine {
  Mat3 L = Mat3::Identity();
  Vec3 t;

  Vec3 operator()(const Vec3& p) const { return L * p + t; }
  Affine operator*(const Affine& B) const { return {L * B.L, L * B.t + t}; }
};

/** The largest entry of |LᵀL/s² − 1| with s² the mean of its diagonal. */
double Distortion(const Mat3& L) {
  const Mat3 G = Transpose(L) * L;
  const double square = Trace(G) / 3;
  double most = square > 0 ? 0.0 : HUGE_VAL;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) most = std::max(most, std::abs(G(i, j) / square - (i == j)));
  }
  return most;
}

/** The nearest multiple of an orthonormal matrix: Q ← (Q + Q⁻ᵀ)/2 (Higham 1986), and the scale, 1
 where it is 1 within what is printed. */
Mat3 Orthonormalized(const Mat3& L) {
  double scale = std::cbrt(std::abs(Determinant(L)));
  Mat3 Q = (1 / scale) * L;
  for (int k = 0; k < 4; ++k) Q = 0.5 * (Q + Transpose(Inverse(Q)));
  if (std::abs(scale - 1) < kPrinted) scale = 1;
  return scale * Q;
}

bool IsSimilarity(const Affine& A) { return Distortion(A.L) < 1e-9; }

double ScaleOf(const Affine& A) { return std::cbrt(std::abs(Determinant(A.L))); }

/** The pose of a solid that is its own mirror image in x, placed by a similarity. */
Pose PoseOf(const Affine& A) {
  Mat3 R = (1 / ScaleOf(A)) * A.L;
  if (Determinant(R) < 0) R = Mat3::FromColumns(-R.Col(0), R.Col(1), R.Col(2));
  for (int k = 0; k < 2; ++k) R = 0.5 * (R + Transpose(Inverse(R)));
  return {R, A.t};
}

/** How many sides OpenSCAD gives a circle of radius r. */
int Fragments(double r, double fn, double fs, double fa) {
  if (fn > 0) return static_cast<int>(std::max(fn, 3.0));
  return static_cast<int>(
      std::ceil(std::max(std::min(360 / fa, r * 2 * std::numbers::pi / fs), 5.0)));
}

/** Angle k of n around a circle; quarters are exact. */
Vec3 OnCircle(int k, int n, double r, double z) {
  if (k * 4 % n == 0) {
    constexpr std::array<std::array<double, 2>, 4> kQuarters{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
    const auto& q = kQuarters[static_cast<std::size_t>(k * 4 / n)];
    return {r * q[0], r * q[1], z};
  }
  const double angle = 2 * std::numbers::pi * k / n;
  return {r * std::cos(angle), r * std::sin(angle), z};
}

/** q(x) of xᵀQx + 2 b·x + c ≤ 0 placed by A. */
geometry::Quadric PlacedQuadric(const Mat3& Q, const Vec3& b, double c, const Affine& A) {
  const Mat3 inverse = Inverse(A.L);
  const Vec3 o = -(inverse * A.t);  // x_local = inverse x + o
  const Mat3 M = Transpose(inverse) * Q * inverse;
  const Vec3 l = TransposeTimes(inverse, Q * o + b);
  const double k = Dot(o, Q * o) + 2 * Dot(b, o) + c;
  return {{M(0, 0), M(1, 1), M(2, 2), 2 * M(0, 1), 2 * M(0, 2), 2 * M(1, 2), 2 * l.x, 2 * l.y,
           2 * l.z, k}};
}

class Evaluator {
 public:
  Evaluator(const PartFile& file, Facets facets, std::string name)
      : file_(file), facets_(facets), name_(std::move(name)) {}

  CsgSolid Solid(const CsgCall& root, const Affine& A) {
    result_.shape = Union(root, A, 0);
    if (!result_.shape) Fail(root, "the solid is empty", "Give it a shape with a volume.");
    Shape whole = *result_.shape;
    whole.name = name_;
    result_.shape = std::make_shared<const Shape>(std::move(whole));
    return std::move(result_);
  }

 private:
  [[noreturn]] void Fail(const CsgCall& call, const std::string& what,
                         const std::string& remedy) const {
    FailAt({file_.name, call.line}, "", "part", call.name + ": " + what + ". " + remedy);
  }

  /** A number of an argument, finite and at most 1e9 in size. */
  double Number(const CsgCall& call, const CsgValue& value, const std::string& key) const {
    constexpr double kMost = 1e9;
    if (value.kind != CsgValue::Kind::kNumber || !(std::abs(value.number) <= kMost)) {
      Fail(call, "'" + key + "' is no number up to 1e9", "Write the file again.");
    }
    return value.number;
  }
  double Number(const CsgCall& call, const std::string& key, double otherwise) const {
    const CsgValue* value = call.Find(key);
    return value == nullptr ? otherwise : Number(call, *value, key);
  }
  std::vector<double> Numbers(const CsgCall& call, const CsgValue& list, const std::string& key,
                              std::size_t count) const {
    if (list.kind != CsgValue::Kind::kList || list.items.size() != count) {
      Fail(call, "'" + key + "' is no list of " + std::to_string(count), "Write the file again.");
    }
    std::vector<double> numbers;
    for (const CsgValue& item : list.items) numbers.push_back(Number(call, item, key));
    return numbers;
  }
  bool IsCentered(const CsgCall& call) const {
    const CsgValue* value = call.Find("center");
    if (value == nullptr) return false;
    if (value->word != "true" && value->word != "false") {
      Fail(call, "'center' is neither true nor false", "Write one of them.");
    }
    return value->word == "true";
  }
  /** Refuses arguments that OpenSCAD does not write, such as a diameter: what is left out of
   account makes another solid. */
  void RequireKnown(const CsgCall& call, std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : call.arguments) {
      if (key.starts_with('$')) continue;
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      std::string list;
      for (const std::string_view word : known)
        list += (list.empty() ? "" : ", ") + std::string(word);
      Fail(call,
           key.empty() ? "an argument without its name" : "the argument '" + key + "' is unknown",
           "A .csg has " + list + "; write it with 'openscad -o part.csg part.scad'.");
    }
  }
  void RequireKnown(const CsgCall& call) const {
    if (call.name == "cube") RequireKnown(call, {"size", "center"});
    if (call.name == "sphere") RequireKnown(call, {"r"});
    if (call.name == "cylinder") RequireKnown(call, {"h", "r1", "r2", "center"});
    if (call.name == "polyhedron")
      RequireKnown(call, {"points", "faces", "triangles", "convexity"});
  }
  const CsgValue& Require(const CsgCall& call, const std::string& key) const {
    const CsgValue* value = call.Find(key);
    if (value == nullptr) Fail(call, "'" + key + "' is missing", "Write the file again.");
    return *value;
  }

  /** The solid of a call, or null where it has no volume. */
  ShapePtr Evaluate(const CsgCall& call, const Affine& A, int depth) {
    const std::string& name = call.name;
    if (name == "union" || name == "group" || name == "color" || name == "render") {
      return Union(call, A, depth);
    }
    if (name == "multmatrix") return Union(call, A * MatrixOf(call), depth);
    if (name == "difference") return Operate(Operation::kDifference, call, A, depth);
    if (name == "intersection") return Operate(Operation::kIntersection, call, A, depth);
    RequireKnown(call);
    if (name == "cube") return Cube(call, A);
    if (name == "sphere") return Sphere(call, A);
    if (name == "cylinder") return Cylinder(call, A);
    if (name == "polyhedron") return Polyhedron(call, A);
    if (name == "hull") {
      std::vector<Vec3> points;
      CollectPoints(call, A, &points);
      return points.empty() ? nullptr : Leaf(call, geometry::Convex{std::move(points)});
    }
    Fail(call,
         "this cannot be read exactly, unlike cube, sphere, cylinder, polyhedron, multmatrix, "
         "union, difference, intersection, hull, group, color and render",
         "Replace it, or export the part as .stl.");
  }

  /** The matrix of a multmatrix; near rotations are made exact. */
  Affine MatrixOf(const CsgCall& call) const {
    const CsgValue* m = call.Find("");
    if (m == nullptr) m = &Require(call, "m");
    if (m->kind != CsgValue::Kind::kList || m->items.size() != 4) {
      Fail(call, "the matrix has no four rows", "Write the file again.");
    }
    Affine A;
    for (int i = 0; i < 3; ++i) {
      const std::vector<double> row =
          Numbers(call, m->items[static_cast<std::size_t>(i)], "matrix", 4);
      for (int j = 0; j < 3; ++j) A.L(i, j) = row[static_cast<std::size_t>(j)];
      A.t[i] = row[3];
    }
    const double size = std::max({Norm(A.L.Row(0)), Norm(A.L.Row(1)), Norm(A.L.Row(2))});
    if (!(std::abs(Determinant(A.L)) > 1e-12 * size * size * size)) {
      Fail(call, "the matrix flattens what it places", "Remove a scale of 0.");
    }
    if (Distortion(A.L) < kPrinted) A.L = Orthonormalized(A.L);
    return A;
  }

  ShapePtr Leaf(const CsgCall& call, geometry::Primitive primitive, const Pose& X = {}) const {
    auto shape = std::make_shared<Shape>();
    shape->name = name_ + "/" + call.name + " line " + std::to_string(call.line);
    shape->primitive = std::move(primitive);
    shape->X = X;
    return shape;
  }

  ShapePtr Node(Operation operation, std::vector<ShapePtr> children) const {
    if (children.empty()) return nullptr;
    if (children.size() == 1) return children.front();
    auto shape = std::make_shared<Shape>();
    shape->operation = operation;
    shape->children = std::move(children);
    return shape;
  }

  void RequireDepth(const CsgCall& call, int depth) const {
    if (depth <= kMostOperations) return;
    Fail(call, "operations are nested deeper than " + std::to_string(kMostOperations),
         "Flatten them.");
  }

  ShapePtr Union(const CsgCall& call, const Affine& A, int depth) {
    RequireDepth(call, depth);
    std::vector<ShapePtr> children;
    // A lone child is what it is, however deep groups and matrices lie around it.
    const int below = depth + (call.children.size() > 1 ? 1 : 0);
    for (const CsgCall& child : call.children) {
      const ShapePtr shape = Evaluate(child, A, below);
      if (!shape) continue;
      if (shape->operation == Operation::kUnion) {
        children.insert(children.end(), shape->children.begin(), shape->children.end());
      } else {
        children.push_back(shape);
      }
    }
    return Node(Operation::kUnion, std::move(children));
  }

  ShapePtr Operate(Operation operation, const CsgCall& call, const Affine& A, int depth) {
    RequireDepth(call, depth);
    std::vector<ShapePtr> children;
    for (const CsgCall& child : call.children) {
      const ShapePtr shape = Evaluate(child, A, depth + 1);
      const bool is_first = &child == &call.children.front();
      if (!shape && (is_first || operation == Operation::kIntersection)) return nullptr;
      if (shape) children.push_back(shape);
    }
    return Node(operation, std::move(children));
  }

  /** Whether a round shape becomes facets. */
  bool IsFaceted(const CsgCall& call) { return facets_.value_or(Number(call, "$fn", 0) > 0); }

  int FragmentsOf(const CsgCall& call, double r) const {
    const double fs = Number(call, "$fs", 2), fa = Number(call, "$fa", 12);
    const int n = Fragments(r, Number(call, "$fn", 0), std::max(fs, 0.01), std::max(fa, 0.01));
    constexpr int kMost = 1000;
    if (n > kMost) {
      Fail(call, std::to_string(n) + " facets around", "Take 'facets: false' or fewer facets.");
    }
    return n;
  }

  static std::array<Vec3, 8> CubeCorners(const Vec3& size, bool is_centered) {
    std::array<Vec3, 8> corners;
    for (int k = 0; k < 8; ++k) {
      const Vec3 share{static_cast<double>(k & 1), static_cast<double>(k >> 1 & 1),
                       static_cast<double>(k >> 2)};
      corners[static_cast<std::size_t>(k)] = Scaled(size, share) - (is_centered ? 0.5 : 0.0) * size;
    }
    return corners;
  }

  Vec3 CubeSize(const CsgCall& call) const {
    const CsgValue& value = Require(call, "size");
    if (value.kind == CsgValue::Kind::kNumber) {
      const double s = Number(call, value, "size");
      return {s, s, s};
    }
    const std::vector<double> s = Numbers(call, value, "size", 3);
    return {s[0], s[1], s[2]};
  }

  ShapePtr Cube(const CsgCall& call, const Affine& A) {
    const Vec3 size = CubeSize(call);
    if (!(std::min({size.x, size.y, size.z}) > 0)) return Empty();
    const std::array<Vec3, 8> corners = CubeCorners(size, IsCentered(call));
    if (!IsSimilarity(A)) {
      geometry::Convex hull;
      for (const Vec3& p : corners) hull.vertices.push_back(A(p));
      return Leaf(call, std::move(hull));
    }
    Pose X = PoseOf(A);
    X.p = A(0.5 * (corners.front() + corners.back()));
    return Leaf(call, geometry::Box{ScaleOf(A) * size}, X);
  }

  /** The corners of a sphere, all of which are corners of its hull. */
  std::vector<Vec3> SpherePoints(const CsgCall& call, double r) const {
    const int n = FragmentsOf(call, r), rings = (n + 1) / 2;
    // A closed surface of triangles has two less four for each of its vertices (Euler).
    if (2 * n * rings - 4 > geometry::kMostHullTriangles) {
      Fail(call,
           std::to_string(n) + " facets around are " + std::to_string(n * rings) +
               " corners, whose hull has more than " +
               std::to_string(geometry::kMostHullTriangles) + " triangles",
           "Take '$fn = 100' or less, or 'facets: false'.");
    }
    std::vector<Vec3> points;
    for (int i = 0; i < rings; ++i) {
      const double phi = std::numbers::pi * (i + 0.5) / rings;
      for (int k = 0; k < n; ++k)
        points.push_back(OnCircle(k, n, r * std::sin(phi), r * std::cos(phi)));
    }
    return points;
  }

  ShapePtr Sphere(const CsgCall& call, const Affine& A) {
    const double r = Number(call, "r", 1);
    if (!(r > 0)) return Empty();
    if (IsFaceted(call)) {
      ++result_.faceted;
      geometry::Convex hull;
      for (const Vec3& p : SpherePoints(call, r)) hull.vertices.push_back(A(p));
      return Leaf(call, std::move(hull));
    }
    ++result_.round;
    if (IsSimilarity(A))
      return Leaf(call, geometry::Sphere{r * ScaleOf(A)}, {Mat3::Identity(), A.t});
    // L maps the unit ball to the ellipsoid whose axes are those of L Lᵀ.
    const SymmetricEigen eigen = EigenSymmetric(A.L * Transpose(A.L));
    const Vec3 radii{r * std::sqrt(eigen.values.x), r * std::sqrt(eigen.values.y),
                     r * std::sqrt(eigen.values.z)};
    return Leaf(call, geometry::Ellipsoid{radii}, {eigen.vectors, A.t});
  }

  /** A cylinder's sizes: height, radii, and its lower end. */
  struct Tube {
    double h = 1, r1 = 1, r2 = 1, z = 0;
    bool IsEmpty() const { return !(h > 0) || r1 < 0 || r2 < 0 || !(r1 + r2 > 0); }
  };
  Tube TubeOf(const CsgCall& call) const {
    Tube tube{Number(call, "h", 1), Number(call, "r1", 1), Number(call, "r2", 1), 0};
    if (IsCentered(call)) tube.z = -0.5 * tube.h;
    return tube;
  }
  static std::vector<Vec3> TubePoints(const Tube& tube, int n) {
    std::vector<Vec3> points;
    for (int k = 0; k < n; ++k) {
      points.push_back(OnCircle(k, n, tube.r1, tube.z));
      points.push_back(OnCircle(k, n, tube.r2, tube.z + tube.h));
    }
    return points;
  }

  ShapePtr Cylinder(const CsgCall& call, const Affine& A) {
    const Tube tube = TubeOf(call);
    if (tube.IsEmpty()) return Empty();
    if (IsFaceted(call)) {
      ++result_.faceted;
      geometry::Convex hull;
      const int n = FragmentsOf(call, std::max(tube.r1, tube.r2));
      for (const Vec3& p : TubePoints(tube, n)) hull.vertices.push_back(A(p));
      return Leaf(call, std::move(hull));
    }
    ++result_.round;
    if (!IsSimilarity(A)) return StretchedTube(call, tube, A);
    Pose X = PoseOf(A);
    X.p = A({0, 0, tube.z + 0.5 * tube.h});
    const double s = ScaleOf(A);
    if (tube.r1 == tube.r2) return Leaf(call, geometry::Cylinder{s * tube.r1, s * tube.h}, X);
    return Leaf(call, geometry::Cone{s * tube.r1, s * tube.r2, s * tube.h}, X);
  }

  /** x² + y² ≤ (r1 + k (z − z1))² between the planes of its ends, placed by A. */
  ShapePtr StretchedTube(const CsgCall& call, const Tube& tube, const Affine& A) const {
    const double k = (tube.r2 - tube.r1) / tube.h, r0 = tube.r1 - k * tube.z;
    const Mat3 Q{{1, 0, 0}, {0, 1, 0}, {0, 0, -k * k}};
    const geometry::Quadric round = PlacedQuadric(Q, {0, 0, -k * r0}, -r0 * r0, A);
    const Vec3 n = Normalized(TransposeTimes(Inverse(A.L), {0, 0, 1}));
    const double bottom = Dot(n, A({0, 0, tube.z})), top = Dot(n, A({0, 0, tube.z + tube.h}));
    // Tangent planes at the wider end: a quadric cone alone does not show that it is bounded.
    geometry::HalfSpaces ends{{{n, top}, {-n, -bottom}}};
    for (const Vec3& side : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}}) {
      const Vec3 out = Normalized(TransposeTimes(Inverse(A.L), side));
      ends.half_spaces.push_back({out, Dot(out, A(std::max(tube.r1, tube.r2) * side))});
    }
    return Node(Operation::kIntersection, {Leaf(call, round), Leaf(call, ends)});
  }

  TriangleMesh MeshOf(const CsgCall& call, const Affine& A) const {
    TriangleMesh mesh;
    for (const CsgValue& point : Require(call, "points").items) {
      const std::vector<double> p = Numbers(call, point, "points", 3);
      mesh.p.push_back(A({p[0], p[1], p[2]}));
    }
    const CsgValue* faces = call.Find("faces");
    if (faces == nullptr) faces = &Require(call, "triangles");
    // OpenSCAD's faces are clockwise seen from outside; a mirror turns them round.
    const bool is_reversed = Determinant(A.L) > 0;
    for (const CsgValue& face : faces->items) {
      std::vector<int> corners;
      for (const CsgValue& item : face.items) {
        const double i = Number(call, item, "faces");
        if (i < 0 || i != std::floor(i) || i >= static_cast<double>(mesh.p.size())) {
          Fail(call,
               "a face names point " + std::to_string(i) + " of " + std::to_string(mesh.p.size()),
               "They count from 0.");
        }
        corners.push_back(static_cast<int>(i));
      }
      if (is_reversed) std::reverse(corners.begin(), corners.end());
      AddFan(corners, &mesh);
    }
    Weld(&mesh);
    return mesh;
  }

  ShapePtr Polyhedron(const CsgCall& call, const Affine& A) {
    // Judged as it is written: where it is placed adds no rounding.
    const TriangleMesh mesh = MeshOf(call, {});
    if (mesh.triangles.empty()) return Empty();
    const std::string label = *file_.name + ":" + std::to_string(call.line);
    RequireClosed(mesh, label, "Mend the polyhedron.");
    std::vector<ShapePtr> pieces;
    ConvexShells convex = ConvexShellsOf(mesh, label);
    if (!convex.why_not.empty()) {
      throw InputError(label + ": part: " + convex.why_not + ". " + kSplitIt);
    }
    for (ConvexShell& shell : convex.shells) {
      for (Vec3& p : shell.mesh.p) p = A(p);
      pieces.push_back(Leaf(call, geometry::Convex{std::move(shell.mesh.p)}));
    }
    return Node(Operation::kUnion, std::move(pieces));
  }

  ShapePtr Empty() {
    ++result_.empty;
    return nullptr;
  }

  /** The points whose hull is asked for: those of all that lies below, which must have corners. */
  void CollectPoints(const CsgCall& call, const Affine& A, std::vector<Vec3>* points) {
    const auto add = [&](const auto& list) {
      for (const Vec3& p : list) points->push_back(A(p));
    };
    for (const CsgCall& child : call.children) {
      const std::string& name = child.name;
      if (name == "multmatrix") {
        CollectPoints(child, A * MatrixOf(child), points);
      } else if (name == "union" || name == "group" || name == "color" || name == "render" ||
                 name == "hull") {
        CollectPoints(child, A, points);
      } else {
        CollectLeaf(child, A, add, points);
      }
    }
  }

  template <class Add>
  void CollectLeaf(const CsgCall& call, const Affine& A, Add add, std::vector<Vec3>* points) {
    RequireKnown(call);
    const std::string& name = call.name;
    const bool is_round = name == "sphere" || name == "cylinder";
    if (name == "cube") {
      add(CubeCorners(CubeSize(call), IsCentered(call)));
    } else if (name == "polyhedron") {
      const TriangleMesh mesh = MeshOf(call, A);
      points->insert(points->end(), mesh.p.begin(), mesh.p.end());
    } else if (is_round && !IsFaceted(call)) {
      Fail(call, "the hull of a round shape is none of the exact solids",
           "Take 'facets: true', or '$fn' above 0 here.");
    } else if (name == "sphere") {
      ++result_.faceted;
      const double r = Number(call, "r", 1);
      add(SpherePoints(call, r));
    } else if (name == "cylinder") {
      ++result_.faceted;
      const Tube tube = TubeOf(call);
      add(TubePoints(tube, FragmentsOf(call, std::max(tube.r1, tube.r2))));
    } else {
      Fail(call, "the hull of this is not known",
           "A hull takes cubes, polyhedra and faceted spheres and cylinders.");
    }
  }

  PartFile file_;
  Facets facets_;
  std::string name_;
  CsgSolid result_;
};

}  // namespace

CsgSolid ReadCsg(const PartFile& file, Facets facets, bool y_is_up, const std::string& name) {
  Affine A;
  if (y_is_up) A.L = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
  return Evaluator(file, facets, name).Solid(ParseCsg(file), A);
}

}  // namespace intervox::host
