// distance() and overlaps(): how far two solids are apart, and whether they meet.
#include "host/distance/distance.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "host/distance/overlaps.h"
#include "host/input/error.h"
#include "python/bindings/bindings.h"
#include "python/bindings/shape.h"
#include "python/bindings/stretches.h"

namespace intervox::python {
namespace {

/** Distances at many poses, as arrays. */
struct SeparationArray {
  nb::object distance, lower, point_a, point_b, normal, status;
  std::size_t size = 0;
};

host::DistanceOptions Options(double tolerance) {
  if (!(tolerance >= 1e-12 && tolerance <= 0.1)) {
    throw host::InputError(
        fmt::format("tolerance: {:g} is out of range. Give 1e-12 to 0.1.", tolerance));
  }
  host::DistanceOptions options;
  options.tolerance = tolerance;
  return options;
}

host::Separation MeasureOne(const Solid& a, const Solid& b, const Pose& X_AB, double tolerance) {
  const host::DistanceOptions options = Options(tolerance);
  nb::gil_scoped_release release;
  return host::MeasureDistance(*a.cells, *b.cells, Pose{}, X_AB, options);
}

double* Numbers(nb::handle array) { return static_cast<double*>(DataOf(array)); }

SeparationArray MeasureMany(const Solid& a, const Solid& b, nb::handle source, double tolerance) {
  const host::DistanceOptions options = Options(tolerance);
  const std::vector<Pose> poses = ToPoses(source, "X_AB");
  const auto n = static_cast<Py_ssize_t>(poses.size());
  const Py_ssize_t scalars[] = {n}, vectors[] = {n, 3};
  SeparationArray out{Array(scalars), Array(scalars),
                      Array(vectors), Array(vectors),
                      Array(vectors), nb::module_::import_("numpy").attr("empty")(n, "int8"),
                      poses.size()};
  double *const distance = Numbers(out.distance), *const lower = Numbers(out.lower);
  double *const point_a = Numbers(out.point_a), *const point_b = Numbers(out.point_b);
  double* const normal = Numbers(out.normal);
  auto* const status = static_cast<signed char*>(DataOf(out.status));
  nb::gil_scoped_release release;
  const std::vector<Pose> origin(std::min(poses.size(), kMostPoses));
  std::vector<host::Separation> part;
  InStretches(poses.size(), [&](std::size_t begin, std::size_t count) {
    part.assign(count, {});
    MeasureDistances(*a.cells, *b.cells, std::span(origin).first(count),
                     std::span(poses).subspan(begin, count), options, 0, part);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = begin + i;
      distance[row] = part[i].distance;
      lower[row] = part[i].lower;
      for (int k = 0; k < 3; ++k) {
        point_a[3 * row + k] = part[i].p_WA[k];
        point_b[3 * row + k] = part[i].p_WB[k];
        normal[3 * row + k] = part[i].n[k];
      }
      status[row] = static_cast<signed char>(part[i].status);
    }
  });
  return out;
}

/** @throws std::runtime_error where the engine, asked last, does not decide. */
void RequireDecided(const host::OverlapTest& test) {
  if (test.status == Status::kInvalid) throw host::InputError("overlaps: " + test.reason + ".");
  if (test.status != Status::kOk) throw std::runtime_error("overlaps: " + test.reason);
}

bool OverlapOne(const Solid& a, const Solid& b, const Pose& X_AB) {
  nb::gil_scoped_release release;
  const host::OverlapTest test = host::TestOverlap(*a.cells, *b.cells, Pose{}, X_AB);
  RequireDecided(test);
  return test.overlaps;
}

nb::object OverlapMany(const Solid& a, const Solid& b, nb::handle source) {
  const std::vector<Pose> poses = ToPoses(source, "X_AB");
  nb::object out = nb::module_::import_("numpy").attr("empty")(poses.size(), "bool");
  auto* const yes = static_cast<bool*>(DataOf(out));
  nb::gil_scoped_release release;
  const std::vector<Pose> origin(std::min(poses.size(), kMostPoses));
  std::vector<host::OverlapTest> part;
  InStretches(poses.size(), [&](std::size_t begin, std::size_t count) {
    part.assign(count, {});
    TestOverlaps(*a.cells, *b.cells, std::span(origin).first(count),
                 std::span(poses).subspan(begin, count), 0, part);
    for (std::size_t i = 0; i < count; ++i) {
      RequireDecided(part[i]);
      yes[begin + i] = part[i].overlaps;
    }
  });
  return out;
}

}  // namespace

void BindDistance(nb::module_& m) {
  using host::Separation;
  nb::class_<Separation>(m, "Separation", "How far two solids are apart, in a's frame, SI.")
      .def_ro("distance", &Separation::distance,
              "Between the witness points [m]; 0 where the solids meet.")
      .def_ro("lower", &Separation::lower, "Proved: no two points are nearer [m].")
      .def_prop_ro(
          "point_a", [](const Separation& x) { return Array(x.p_WA); },
          nb::sig("def point_a(self) -> FloatArray"), "Witness point of a [m], shape (3,).")
      .def_prop_ro(
          "point_b", [](const Separation& x) { return Array(x.p_WB); },
          nb::sig("def point_b(self) -> FloatArray"), "Witness point of b [m], shape (3,).")
      .def_prop_ro(
          "normal", [](const Separation& x) { return Array(x.n); },
          nb::sig("def normal(self) -> FloatArray"),
          "Unit vector from b to a, shape (3,); 0 where the solids meet.")
      .def_prop_ro(
          "status", [](const Separation& x) { return x.status; },
          "OK where distance and lower agree to the tolerance.")
      .def_ro("reason", &Separation::reason, "Why, where the status is not OK.")
      .def("__repr__", [](const Separation& x) {
        return fmt::format("<intervox.Separation distance={:.9g} m (at least {:.9g} m)>",
                           x.distance, x.lower);
      });
  nb::class_<SeparationArray>(m, "SeparationArray",
                              "Distances at n poses, one row each: NumPy arrays, in a's frame, SI.")
      .def_prop_ro(
          "distance", [](const SeparationArray& x) { return x.distance; },
          nb::sig("def distance(self) -> FloatArray"), "[m], shape (n,); 0 where the solids meet.")
      .def_prop_ro(
          "lower", [](const SeparationArray& x) { return x.lower; },
          nb::sig("def lower(self) -> FloatArray"), "Proved: no two points are nearer [m], (n,).")
      .def_prop_ro(
          "point_a", [](const SeparationArray& x) { return x.point_a; },
          nb::sig("def point_a(self) -> FloatArray"), "Witness points of a [m], shape (n, 3).")
      .def_prop_ro(
          "point_b", [](const SeparationArray& x) { return x.point_b; },
          nb::sig("def point_b(self) -> FloatArray"), "Witness points of b [m], shape (n, 3).")
      .def_prop_ro(
          "normal", [](const SeparationArray& x) { return x.normal; },
          nb::sig("def normal(self) -> FloatArray"),
          "Unit vectors from b to a, shape (n, 3); 0 where the solids meet.")
      .def_prop_ro(
          "status", [](const SeparationArray& x) { return x.status; },
          nb::sig("def status(self) -> numpy.typing.NDArray[numpy.int8]"),
          "Values of Status, shape (n,).")
      .def("__len__", [](const SeparationArray& x) { return x.size; })
      .def("__repr__", [](const SeparationArray& x) {
        return fmt::format("<intervox.SeparationArray of {} poses>", x.size);
      });
  m.def(
      "_distance",
      [](const Solid& a, const Solid& b, nb::handle X_AB, nb::handle relative) -> nb::object {
        const double tolerance = ToNumber(relative, "tolerance");
        if (AreManyPoses(X_AB, "X_AB")) return nb::cast(MeasureMany(a, b, X_AB, tolerance));
        return nb::cast(MeasureOne(a, b, ToPose(X_AB, "X_AB"), tolerance));
      },
      "a"_a, "b"_a, "X_AB"_a.none(), "tolerance"_a.none(),
      "How far the solids a and b are apart, b posed in a's frame.");
  m.def(
      "_overlaps",
      [](const Solid& a, const Solid& b, nb::handle X_AB) -> nb::object {
        if (AreManyPoses(X_AB, "X_AB")) return OverlapMany(a, b, X_AB);
        return nb::cast(OverlapOne(a, b, ToPose(X_AB, "X_AB")));
      },
      "a"_a, "b"_a, "X_AB"_a.none(), "Whether the solids a and b overlap, b posed in a's frame.");
}

}  // namespace intervox::python
