#include "python/bindings/convert.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "host/input/error.h"
#include "host/scene/keys.h"

namespace intervox::python {
namespace {

/** A rotation matrix may be off by this in its columns' products. */
constexpr double kOrthonormal = 1e-6;

/** An attribute of numpy, imported once and kept to the end of the process. */
nb::handle Numpy(const char* name) {
  return nb::object(nb::module_::import_("numpy").attr(name)).release();
}
nb::handle NumpyEmpty() {
  static const nb::handle empty = Numpy("empty");
  return empty;
}

[[noreturn]] void Fail(const std::string& text) { throw host::InputError(text); }

[[noreturn]] void FailAsType(const std::string& text) { throw nb::type_error(text.c_str()); }

/** "a str", "None". */
std::string TypeOf(nb::handle source) {
  if (source.is_none()) return "None";
  return fmt::format("a {}", nb::type_name(source.type()).c_str());
}

/** Whether the buffer is of doubles, C-contiguous; fills `buffer` then. */
bool GetDoubles(nb::handle source, Py_buffer* buffer) {
  if (PyObject_GetBuffer(source.ptr(), buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return false;
  }
  if (buffer->format != nullptr && std::strcmp(buffer->format, "d") == 0) return true;
  PyBuffer_Release(buffer);
  return false;
}

/** Exactly out.size() finite numbers of a list, tuple or array, nested or not. */
bool ReadNumbers(nb::handle source, std::span<double> out, const char* name) {
  const bool tuple = PyTuple_CheckExact(source.ptr()) != 0;
  if (tuple || PyList_CheckExact(source.ptr())) {
    if (PySequence_Fast_GET_SIZE(source.ptr()) != static_cast<Py_ssize_t>(out.size())) return false;
    PyObject** items = PySequence_Fast_ITEMS(source.ptr());
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = ToNumber(items[i], name);
    }
  } else {
    const Doubles numbers(source, name);
    if (numbers.values().size() != out.size()) return false;
    std::copy(numbers.values().begin(), numbers.values().end(), out.begin());
  }
  for (const double x : out) {
    if (!std::isfinite(x)) Fail(fmt::format("{}: {} is not a finite number", name, x));
  }
  return true;
}

/** Positions are where files may have them, so that squares of distances are numbers. */
void RequireNear(const double* p, std::size_t stride, const char* name) {
  for (int i = 0; i < 3; ++i) {
    const double x = p[static_cast<std::size_t>(i) * stride];
    if (x >= host::kLength.lo && x <= host::kLength.hi) continue;
    Fail(fmt::format("{}: the position {:g} is out of range. Give numbers from {:g} to {:g}", name,
                     x, host::kLength.lo, host::kLength.hi));
  }
}

Mat3 RotationOfQuaternion(const double* q, const char* name) {
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(norm > 1e-12)) {
    Fail(fmt::format("{}: the quaternion is zero. Write (1, 0, 0, 0) for no rotation", name));
  }
  return ToRotation(Normalized(Quaternion{q[0], q[1], q[2], q[3]}));
}

/** Three rows of three, each `stride` numbers after the one before. */
Mat3 RotationOfMatrix(const double* m, std::size_t stride, const char* name) {
  const Mat3 R{{m[0], m[1], m[2]},
               {m[stride], m[stride + 1], m[stride + 2]},
               {m[2 * stride], m[2 * stride + 1], m[2 * stride + 2]}};
  const Mat3 off = Transpose(R) * R - Mat3::Identity();
  double largest = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) largest = std::fmax(largest, std::fabs(off(i, j)));
  }
  if (!(largest <= kOrthonormal) || Determinant(R) < 0) {
    Fail(
        fmt::format("{}: this matrix is no rotation: its columns are not orthonormal, or it is a "
                    "mirror",
                    name));
  }
  return R;
}

Pose PoseOfMatrix(const double* m, const char* name) {
  if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1) {
    Fail(fmt::format("{}: the last row of a 4 x 4 pose must be 0, 0, 0, 1", name));
  }
  RequireNear(m + 3, 4, name);
  return {RotationOfMatrix(m, 4, name), {m[3], m[7], m[11]}};
}

Pose PoseOfSeven(const double* row, const char* name) {
  RequireNear(row, 1, name);
  return {RotationOfQuaternion(row + 3, name), {row[0], row[1], row[2]}};
}

bool IsPair(nb::handle source) {
  return PyTuple_Check(source.ptr()) && PyTuple_GET_SIZE(source.ptr()) == 2;
}

/** source.as_matrix() where there is such a method, else nothing. */
nb::object AsMatrix(nb::handle source) {
  if (!nb::hasattr(source, "as_matrix")) return {};
  return source.attr("as_matrix")();
}

/** The number of axes and, where known, what numpy makes of it. */
std::size_t Axes(nb::handle source, const char* name) {
  if (nb::hasattr(source, "ndim")) return nb::cast<std::size_t>(source.attr("ndim"));
  try {
    return nb::cast<std::size_t>(nb::module_::import_("numpy").attr("ndim")(source));
  } catch (const nb::python_error&) {
    Fail(
        fmt::format("{}: a list of items that differ in length. A pair of a position and an "
                    "orientation is a tuple: (position, orientation)",
                    name));
  }
}

void RequireFinite(std::span<const double> values, std::size_t width, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    Fail(fmt::format("{}: row {}: {} is not a finite number", name, i / width, values[i]));
  }
}

/** Calls make(i) for each of n rows; what it throws for bad input names the row, too. */
template <class Make>
void ForEachRow(std::size_t n, Make make) {
  std::size_t i = 0;
  try {
    for (; i < n; ++i) make(i);
  } catch (const host::InputError& error) {
    Fail(fmt::format("{} (row {})", error.what(), i));
  }
}

}  // namespace

Doubles::Doubles(nb::handle source, const char* name) {
  if (GetDoubles(source, &buffer_)) return;
  try {
    array_ = nb::module_::import_("numpy").attr("ascontiguousarray")(source, "dtype"_a = "float64");
  } catch (const nb::python_error& error) {
    FailAsType(fmt::format("{}: not numbers ({})", name, error.what()));
  }
  if (!GetDoubles(array_, &buffer_)) throw nb::type_error("not an array of numbers");
}

double ToNumber(nb::handle source, const char* name) {
  const double number = PyFloat_AsDouble(source.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    FailAsType(fmt::format("{}: expected a number, not {}", name, TypeOf(source)));
  }
  return number;
}

Vec3 ToVec3(nb::handle source, const char* name) {
  double v[3];
  if (!ReadNumbers(source, v, name)) Fail(fmt::format("{}: give three numbers", name));
  return {v[0], v[1], v[2]};
}

Mat3 ToRotationMatrix(nb::handle source, const char* name) {
  if (source.is_none()) return Mat3::Identity();
  double q[4], m[9];
  if (const nb::object matrix = AsMatrix(source); matrix.is_valid()) {
    if (ReadNumbers(matrix, m, name)) return RotationOfMatrix(m, 3, name);
    Fail(fmt::format("{}: give one rotation, not several", name));
  }
  if (ReadNumbers(nb::object(nb::borrow(source)), q, name)) return RotationOfQuaternion(q, name);
  const Doubles numbers(source, name);
  if (numbers.values().size() == 9 && numbers.shape().size() == 2) {
    RequireFinite(numbers.values(), 9, name);
    return RotationOfMatrix(numbers.values().data(), 3, name);
  }
  Fail(fmt::format("{}: give a quaternion (w, x, y, z), a 3 x 3 matrix or a scipy Rotation", name));
}

Pose ToPose(nb::handle source, const char* name) {
  if (nb::isinstance<Pose>(source)) return nb::cast<const Pose&>(source);
  if (IsPair(source)) {
    const Pose X{ToRotationMatrix(PyTuple_GET_ITEM(source.ptr(), 1), name),
                 ToVec3(PyTuple_GET_ITEM(source.ptr(), 0), name)};
    RequireNear(&X.p.x, 1, name);
    return X;
  }
  const nb::object matrix = AsMatrix(source);
  const Doubles numbers(matrix.is_valid() ? nb::handle(matrix) : source, name);
  const std::span<const double> values = numbers.values();
  if (values.size() != 7 && values.size() != 16) {
    Fail(
        fmt::format("{}: give a Pose, (position, orientation), seven numbers (position, "
                    "quaternion w x y z) or a 4 x 4 matrix",
                    name));
  }
  RequireFinite(values, values.size(), name);
  return values.size() == 7 ? PoseOfSeven(values.data(), name) : PoseOfMatrix(values.data(), name);
}

bool AreManyPoses(nb::handle source, const char* name) {
  if (nb::isinstance<Pose>(source)) return false;
  if (IsPair(source)) return Axes(PyTuple_GET_ITEM(source.ptr(), 0), name) == 2;
  if (nb::hasattr(source, "as_matrix")) return Axes(AsMatrix(source), name) == 3;
  const std::size_t axes = Axes(source, name);
  if (axes != 2) return axes == 3;
  return nb::len(source) != 4 || nb::len(nb::object(nb::borrow(source)[0])) != 4;
}

std::vector<Pose> ToPoses(nb::handle source, const char* name) {
  std::vector<Pose> poses;
  const auto fill = [&](std::span<const double> values, std::size_t width, auto make) {
    RequireFinite(values, width, name);
    poses.resize(values.size() / width);
    ForEachRow(poses.size(), [&](std::size_t i) { make(&values[width * i], &poses[i]); });
  };
  if (IsPair(source)) {
    const Doubles p(PyTuple_GET_ITEM(source.ptr(), 0), name);
    const nb::handle second = PyTuple_GET_ITEM(source.ptr(), 1);
    const nb::object matrices = AsMatrix(second);
    const Doubles r(matrices.is_valid() ? nb::handle(matrices) : second, name);
    const std::size_t n = p.values().size() / 3;
    const std::size_t width = n > 0 ? r.values().size() / n : 0;
    if (p.shape().size() != 2 || p.shape()[1] != 3 || r.values().size() != n * width ||
        (width != 4 && width != 9 && n > 0)) {
      Fail(fmt::format("{}: give n x 3 positions with n orientations", name));
    }
    fill(p.values(), 3, [&](const double* v, Pose* X) {
      RequireNear(v, 1, name);
      X->p = {v[0], v[1], v[2]};
    });
    RequireFinite(r.values(), std::max<std::size_t>(1, width), name);
    ForEachRow(n, [&](std::size_t i) {
      const double* row = &r.values()[i * width];
      poses[i].R = width == 4 ? RotationOfQuaternion(row, name) : RotationOfMatrix(row, 3, name);
    });
    return poses;
  }
  const nb::object matrices = AsMatrix(source);
  const Doubles numbers(matrices.is_valid() ? nb::handle(matrices) : source, name);
  const auto shape = numbers.shape();
  if (shape.size() == 2 && shape[1] == 7) {
    fill(numbers.values(), 7, [&](const double* v, Pose* X) { *X = PoseOfSeven(v, name); });
  } else if (shape.size() == 3 && shape[1] == 4 && shape[2] == 4) {
    fill(numbers.values(), 16, [&](const double* v, Pose* X) { *X = PoseOfMatrix(v, name); });
  } else {
    Fail(fmt::format("{}: give n x 7 numbers (position, quaternion w x y z) or n x 4 x 4", name));
  }
  return poses;
}

void* DataOf(nb::handle array) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) {
    throw nb::python_error();
  }
  void* data = buffer.buf;
  PyBuffer_Release(&buffer);  // the array keeps its memory
  return data;
}

nb::object Array(std::span<const Py_ssize_t> shape, const double* values) {
  nb::object sizes = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  std::size_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    count *= static_cast<std::size_t>(shape[i]);
    PyTuple_SET_ITEM(sizes.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromSsize_t(shape[i]));
  }
  nb::object array = NumpyEmpty()(sizes);
  if (values != nullptr) std::memcpy(DataOf(array), values, count * sizeof(double));
  return array;
}

nb::object Array(const Vec3& v) {
  const double values[] = {v.x, v.y, v.z};
  const Py_ssize_t shape[] = {3};
  return Array(shape, values);
}

nb::object Array(const Quaternion& q) {
  const double values[] = {q.w, q.x, q.y, q.z};
  const Py_ssize_t shape[] = {4};
  return Array(shape, values);
}

nb::object Array(const Mat3& m) {
  const Py_ssize_t shape[] = {3, 3};
  static_assert(sizeof m == 9 * sizeof(double));
  return Array(shape, &m.row0.x);
}

nb::object Array(const Pose& X) {
  const double values[] = {X.R.row0.x, X.R.row0.y, X.R.row0.z, X.p.x,      X.R.row1.x, X.R.row1.y,
                           X.R.row1.z, X.p.y,      X.R.row2.x, X.R.row2.y, X.R.row2.z, X.p.z,
                           0,          0,          0,          1};
  const Py_ssize_t shape[] = {4, 4};
  return Array(shape, values);
}

nb::object Rows(nb::handle dtype, std::size_t rows, std::span<const std::byte> bytes) {
  nb::object array = NumpyEmpty()(rows, dtype);
  if (!bytes.empty()) std::memcpy(DataOf(array), bytes.data(), bytes.size());
  return array;
}

std::string Shown(const Vec3& v) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", v.x, v.y, v.z); }

std::string Shown(const Quaternion& q) {
  return fmt::format("[{:.6g}, {:.6g}, {:.6g}, {:.6g}]", q.w, q.x, q.y, q.z);
}

}  // namespace intervox::python
