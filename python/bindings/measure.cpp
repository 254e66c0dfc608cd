#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "cuda/certify/certify.h"
#include "host/input/error.h"
#include "host/scene/shape_metrics.h"
#include "python/bindings/bindings.h"
#include "python/bindings/shape.h"
#include "python/bindings/stretches.h"

namespace intervox::python {
namespace {

/** The overlap at one pose. */
struct Metrics {
  InterferenceMetrics sum;
  std::string reason;
};

/** The overlaps at many poses, as arrays. */
struct MetricsArray {
  nb::object volume, centroid, inertia, area_vector, area_moment, volume_error, status;
  std::size_t size = 0;
};

bool HasCentroid(const InterferenceMetrics& m) {
  return (m.status == Status::kOk || m.status == Status::kToleranceNotMet) && m.volume > 0;
}

Vec3 Centroid(const InterferenceMetrics& m) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return HasCentroid(m) ? m.p_WC : Vec3{kNone, kNone, kNone};
}

host::MeasureOptions Options(double tolerance) {
  if (!(tolerance >= 1e-9 && tolerance <= 0.1)) {
    throw host::InputError(
        fmt::format("tolerance: {:g} is out of range. Give 1e-9 to 0.1.", tolerance));
  }
  return {tolerance, 0.0, LeafRule::kAuto};
}

/** One thread for one pair of cells: waking others would take longer. */
const Engine& EngineFor(std::size_t pairs) {
  static const Engine serial({Device::kSerial, 1, 0});
  static const Engine threads({Device::kThreads, 0, 0});
  return pairs < 16 ? serial : threads;
}

Metrics MeasureOne(const Solid& a, const Solid& b, const Pose& X_AB, double tolerance) {
  const host::MeasureOptions options = Options(tolerance);
  nb::gil_scoped_release release;
  host::ShapeMetrics metrics = MeasurePair(EngineFor(a.cells->size() * b.cells->size()), *a.cells,
                                           *b.cells, Pose{}, X_AB, options);
  return {metrics.sum, std::move(metrics.reason)};
}

/** Writes into NumPy's memory, which Python may not touch before it is returned. */
struct Columns {
  double *volume, *centroid, *inertia, *area_vector, *area_moment, *volume_error;
  signed char* status;

  void Put(std::size_t row, const InterferenceMetrics& m) const {
    const auto put = [](double* to, const Vec3& v) {
      to[0] = v.x;
      to[1] = v.y;
      to[2] = v.z;
    };
    volume[row] = m.volume;
    put(centroid + 3 * row, Centroid(m));
    for (int i = 0; i < 3; ++i) put(inertia + 9 * row + 3 * i, m.J_W.Row(i));
    put(area_vector + 3 * row, m.area_vector);
    put(area_moment + 3 * row, m.area_moment);
    volume_error[row] = m.volume_error;
    status[row] = static_cast<signed char>(m.status);
  }
};

MetricsArray MeasureMany(const Solid& a, const Solid& b, nb::handle source, double tolerance) {
  const host::MeasureOptions options = Options(tolerance);
  const std::vector<Pose> poses = ToPoses(source, "X_AB");
  const auto n = static_cast<Py_ssize_t>(poses.size());
  const Py_ssize_t scalars[] = {n}, vectors[] = {n, 3}, matrices[] = {n, 3, 3};
  MetricsArray out{Array(scalars),
                   Array(vectors),
                   Array(matrices),
                   Array(vectors),
                   Array(vectors),
                   Array(scalars),
                   nb::module_::import_("numpy").attr("empty")(n, "int8"),
                   poses.size()};
  const auto numbers = [](nb::handle array) { return static_cast<double*>(DataOf(array)); };
  const Columns columns{numbers(out.volume),
                        numbers(out.centroid),
                        numbers(out.inertia),
                        numbers(out.area_vector),
                        numbers(out.area_moment),
                        numbers(out.volume_error),
                        static_cast<signed char*>(DataOf(out.status))};
  nb::gil_scoped_release release;
  const Engine& engine = EngineFor(std::numeric_limits<std::size_t>::max());
  const std::vector<Pose> origin(std::min(poses.size(), kMostPoses));
  std::vector<InterferenceMetrics> sums(origin.size());
  InStretches(poses.size(), [&](std::size_t begin, std::size_t count) {
    const std::span<InterferenceMetrics> part = std::span(sums).first(count);
    MeasurePoses(engine, *a.cells, *b.cells, std::span(origin).first(count),
                 std::span(poses).subspan(begin, count), options, part);
    for (std::size_t i = 0; i < count; ++i) columns.Put(begin + i, part[i]);
  });
  return out;
}

constexpr const char* kMeasureDoc =
    "The overlap of the solids a and b.\n\n"
    "X_AB is the pose of b in a's frame: one pose (Pose, (position, orientation), seven numbers, "
    "or "
    "a 4 x 4 matrix) gives Metrics; many (n x 7: position [m], quaternion w x y z; n x 4 x 4; or a "
    "pair of n positions and n orientations) give MetricsArray. Orientations may be quaternions "
    "(w, x, y, z), matrices or scipy Rotations. tolerance is relative to the volume, 1e-9 to 0.1. "
    "Results are SI, in a's frame, for unit density.";

const char* StatusWord(Status status) {
  constexpr const char* kWords[] = {"ok", "disjoint", "tolerance_not_met", "unbounded", "invalid"};
  return kWords[static_cast<int>(status)];
}

void BindMetrics(nb::module_& m) {
  nb::class_<Metrics>(m, "Metrics", "The overlap of two solids, in a's frame, SI, unit density.")
      .def_prop_ro(
          "volume", [](const Metrics& x) { return x.sum.volume; }, "[m^3]")
      .def_prop_ro(
          "centroid", [](const Metrics& x) { return Array(Centroid(x.sum)); },
          nb::sig("def centroid(self) -> FloatArray"), "[m], shape (3,); NaN without an overlap.")
      .def_prop_ro(
          "inertia", [](const Metrics& x) { return Array(x.sum.J_W); },
          nb::sig("def inertia(self) -> FloatArray"), "About the centroid [m^5], shape (3, 3).")
      .def_prop_ro(
          "area_vector", [](const Metrics& x) { return Array(x.sum.area_vector); },
          nb::sig("def area_vector(self) -> FloatArray"),
          "Half the integral of b's normal over b's surface inside a minus the same with a and b "
          "exchanged [m^2], shape (3,).")
      .def_prop_ro(
          "area_moment", [](const Metrics& x) { return Array(x.sum.area_moment); },
          nb::sig("def area_moment(self) -> FloatArray"),
          "Its moment about the centroid [m^3], shape (3,).")
      .def_prop_ro(
          "volume_error", [](const Metrics& x) { return x.sum.volume_error; },
          "Estimate of the volume's error [m^3].")
      .def_prop_ro(
          "volume_bounds",
          [](const Metrics& x) { return nb::make_tuple(x.sum.volume_lo, x.sum.volume_hi); },
          nb::sig("def volume_bounds(self) -> tuple[float, float]"), "(low, high) [m^3].")
      .def_prop_ro(
          "status", [](const Metrics& x) { return x.sum.status; }, "What became of it.")
      .def_ro("reason", &Metrics::reason, "Why, where the status is neither OK nor DISJOINT.")
      .def("__repr__", [](const Metrics& x) {
        return fmt::format("<intervox.Metrics {}, volume={:.9g} m^3 (error {:.2g})>",
                           StatusWord(x.sum.status), x.sum.volume, x.sum.volume_error);
      });
  nb::class_<MetricsArray>(m, "MetricsArray",
                           "The overlaps at n poses, one row each: NumPy arrays, in a's frame, SI, "
                           "unit density.")
      .def_prop_ro(
          "volume", [](const MetricsArray& x) { return x.volume; },
          nb::sig("def volume(self) -> FloatArray"), "[m^3], shape (n,).")
      .def_prop_ro(
          "centroid", [](const MetricsArray& x) { return x.centroid; },
          nb::sig("def centroid(self) -> FloatArray"), "[m], shape (n, 3); NaN without an overlap.")
      .def_prop_ro(
          "inertia", [](const MetricsArray& x) { return x.inertia; },
          nb::sig("def inertia(self) -> FloatArray"), "[m^5], shape (n, 3, 3).")
      .def_prop_ro(
          "area_vector", [](const MetricsArray& x) { return x.area_vector; },
          nb::sig("def area_vector(self) -> FloatArray"), "[m^2], shape (n, 3).")
      .def_prop_ro(
          "area_moment", [](const MetricsArray& x) { return x.area_moment; },
          nb::sig("def area_moment(self) -> FloatArray"), "[m^3], shape (n, 3).")
      .def_prop_ro(
          "volume_error", [](const MetricsArray& x) { return x.volume_error; },
          nb::sig("def volume_error(self) -> FloatArray"), "[m^3], shape (n,).")
      .def_prop_ro(
          "status", [](const MetricsArray& x) { return x.status; },
          nb::sig("def status(self) -> numpy.typing.NDArray[numpy.int8]"),
          "Values of Status, shape (n,).")
      .def("__len__", [](const MetricsArray& x) { return x.size; })
      .def("__repr__", [](const MetricsArray& x) {
        return fmt::format("<intervox.MetricsArray of {} poses>", x.size);
      });
}

VolumeEnclosure Certify(const Solid& a, const Solid& b, const Pose& X_AB, double tolerance) {
  const CertifyOptions options{.tolerance = Options(tolerance).tolerance};
  VolumeEnclosure found;
  {
    nb::gil_scoped_release release;
    found = CertifyVolume(*a.cells, *b.cells, Pose{}, X_AB, options);
  }
  if (found.status == Status::kInvalid) {
    throw host::InputError(
        "certify: X_AB is not finite or no rotation. Give finite numbers and a unit quaternion.");
  }
  return found;
}

void BindCertify(nb::module_& m) {
  nb::class_<VolumeEnclosure>(m, "VolumeEnclosure",
                              "Proved bounds of the volume that two solids have in common.")
      .def_ro("lower", &VolumeEnclosure::lower, "The volume is at least this [m^3].")
      .def_ro("upper", &VolumeEnclosure::upper,
              "And at most this [m^3]; infinite where nothing is known.")
      .def_prop_ro(
          "status", [](const VolumeEnclosure& x) { return x.status; },
          "OK within the tolerance, DISJOINT where upper is 0, else TOLERANCE_NOT_MET or "
          "UNBOUNDED.")
      .def_ro("boxes", &VolumeEnclosure::boxes, "How many boxes were looked into.")
      .def("__contains__", [](const VolumeEnclosure& x,
                              double volume) { return x.lower <= volume && volume <= x.upper; })
      .def("__repr__", [](const VolumeEnclosure& x) {
        return fmt::format("<intervox.VolumeEnclosure {}, {:.17g} to {:.17g} m^3>",
                           StatusWord(x.status), x.lower, x.upper);
      });
  m.def(
      "_certify",
      [](const Solid& a, const Solid& b, nb::handle X_AB, nb::handle relative) {
        return Certify(a, b, ToPose(X_AB, "X_AB"), ToNumber(relative, "tolerance"));
      },
      "a"_a, "b"_a, "X_AB"_a.none(), "tolerance"_a.none());
}

}  // namespace

void BindMeasure(nb::module_& m) {
  nb::enum_<Status>(m, "Status", nb::is_arithmetic(), "What became of an overlap.")
      .value("OK", Status::kOk, "The tolerance is met.")
      .value("DISJOINT", Status::kDisjoint, "There is no overlap.")
      .value("TOLERANCE_NOT_MET", Status::kToleranceNotMet,
             "The best that the budget allowed; see volume_error.")
      .value("UNBOUNDED", Status::kUnbounded, "The overlap is infinite.")
      .value("INVALID", Status::kInvalid, "A pose is not finite, or a cell is malformed.");
  BindMetrics(m);
  BindCertify(m);
  m.def(
      "_measure",
      [](const Solid& a, const Solid& b, nb::handle X_AB, nb::handle relative) -> nb::object {
        const double tolerance = ToNumber(relative, "tolerance");
        if (AreManyPoses(X_AB, "X_AB")) return nb::cast(MeasureMany(a, b, X_AB, tolerance));
        return nb::cast(MeasureOne(a, b, ToPose(X_AB, "X_AB"), tolerance));
      },
      "a"_a, "b"_a, "X_AB"_a.none(), "tolerance"_a.none(), kMeasureDoc);
  m.def(
      "_measure_solid",
      [](const Solid& solid, nb::handle relative) {
        const host::MeasureOptions options = Options(ToNumber(relative, "tolerance"));
        nb::gil_scoped_release release;
        host::ShapeMetrics metrics =
            MeasureSolid(EngineFor(solid.cells->size()), *solid.cells, options);
        return Metrics{metrics.sum, std::move(metrics.reason)};
      },
      "solid"_a, "tolerance"_a.none());
}

}  // namespace intervox::python
