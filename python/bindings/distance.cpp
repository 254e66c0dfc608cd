// distance(): how far two solids are apart.
#include "host/distance/distance.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "host/input/error.h"
#include "python/bindings/bindings.h"
#include "python/bindings/shape.h"

namespace intervox::python {
namespace {

host::Separation Measure(const Solid& a, const Solid& b, nb::handle X_AB, double tolerance) {
  if (!(tolerance >= 1e-12 && tolerance <= 0.1)) {
    throw host::InputError(
        fmt::format("tolerance: {:g} is out of range. Give 1e-12 to 0.1.", tolerance));
  }
  host::DistanceOptions options;
  options.tolerance = tolerance;
  const Pose pose = ToPose(X_AB, "X_AB");
  nb::gil_scoped_release release;
  return host::MeasureDistance(*a.cells, *b.cells, Pose{}, pose, options);
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
  m.def("_distance", &Measure, "a"_a, "b"_a, "X_AB"_a, "tolerance"_a,
        "How far the solids a and b are apart, b posed in a's frame.");
}

}  // namespace intervox::python
