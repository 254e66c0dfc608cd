#include <fmt/format.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include "python/bindings/bindings.h"

namespace intervox::python {

void BindPose(nb::module_& m) {
  nb::class_<Pose>(m, "Pose", "Pose of a frame: position [m] and orientation.")
      .def(
          "__init__",
          [](Pose* self, nb::handle position, nb::handle orientation) {
            new (self)
                Pose{ToRotationMatrix(orientation, "orientation"), ToVec3(position, "position")};
          },
          "position"_a = nb::make_tuple(0.0, 0.0, 0.0), "orientation"_a = nb::none(),
          nb::sig("def __init__(self, position: Vector = (0.0, 0.0, 0.0), "
                  "orientation: Rotation | None = None) -> None"),
          "A pose. position [m]; orientation: a quaternion (w, x, y, z), a 3 x 3 rotation matrix, "
          "a scipy.spatial.transform.Rotation, or None for no rotation.")
      .def_prop_ro(
          "position", [](const Pose& X) { return Array(X.p); },
          nb::sig("def position(self) -> FloatArray"), "Position [m], shape (3,).")
      .def_prop_ro(
          "quaternion", [](const Pose& X) { return Array(ToQuaternion(X.R)); },
          nb::sig("def quaternion(self) -> FloatArray"),
          "Orientation, unit quaternion (w, x, y, z), w >= 0.")
      .def_prop_ro(
          "rotation", [](const Pose& X) { return Array(X.R); },
          nb::sig("def rotation(self) -> FloatArray"), "Rotation matrix, shape (3, 3).")
      .def(
          "as_matrix", [](const Pose& X) { return Array(X); },
          nb::sig("def as_matrix(self) -> FloatArray"), "Homogeneous matrix, shape (4, 4).")
      .def(
          "inverse", [](const Pose& X) { return Inverse(X); }, "X_BA of X_AB.")
      .def(
          "__matmul__", [](const Pose& a, const Pose& b) { return a * b; }, nb::is_operator(),
          "X_AB @ X_BC = X_AC.")
      .def("__repr__", [](const Pose& X) {
        return fmt::format("Pose(position={}, orientation={})", Shown(X.p),
                           Shown(ToQuaternion(X.R)));
      });
}

}  // namespace intervox::python
