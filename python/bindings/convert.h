/** @file Python's numbers, poses and names into ours, and ours into NumPy arrays. */
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "geometry/linear.h"

namespace intervox::python {

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): "name"_a

/** An array of doubles, C-contiguous, as long as this lives. */
class Doubles {
 public:
  /** Of anything that numpy.asarray takes. @param name  of the argument, for messages.
   @throws nb::type_error for what are no numbers. */
  Doubles(nb::handle source, const char* name);
  ~Doubles() { PyBuffer_Release(&buffer_); }
  Doubles(const Doubles&) = delete;
  Doubles& operator=(const Doubles&) = delete;

  /** All numbers, the last index fastest. */
  std::span<const double> values() const {
    return {static_cast<const double*>(buffer_.buf),
            static_cast<std::size_t>(buffer_.len) / sizeof(double)};
  }
  /** Length along each axis. */
  std::span<const Py_ssize_t> shape() const {
    return {buffer_.shape, static_cast<std::size_t>(buffer_.ndim)};
  }

 private:
  nb::object array_;
  Py_buffer buffer_{};
};

/** A number. @throws nb::type_error naming the argument. */
double ToNumber(nb::handle source, const char* name);

/** Three finite numbers. @throws host::InputError naming the argument. */
Vec3 ToVec3(nb::handle source, const char* name);

/** A rotation: None for none, a quaternion (w, x, y, z), a 3 × 3 matrix, or an object whose
 as_matrix() is one, such as scipy's Rotation. @throws host::InputError naming the argument. */
Mat3 ToRotationMatrix(nb::handle source, const char* name);

/** A pose: a Pose, a pair (position, orientation), seven numbers (position, quaternion w x y z),
 a 4 × 4 matrix, or an object whose as_matrix() is one. Positions are within 1e9 m, as in files.
 @throws host::InputError likewise. */
Pose ToPose(nb::handle source, const char* name);

/** Many poses: n × 7 numbers, n × 4 × 4, or a pair of n × 3 positions and n orientations. */
bool AreManyPoses(nb::handle source, const char* name);
/** Those poses. @throws host::InputError likewise. */
std::vector<Pose> ToPoses(nb::handle source, const char* name);

/** A new NumPy array of doubles, filled with `values` where there are any. */
nb::object Array(std::span<const Py_ssize_t> shape, const double* values = nullptr);
/** A new NumPy array (3). */
nb::object Array(const Vec3& v);
/** A new NumPy array (4), w x y z. */
nb::object Array(const Quaternion& q);
/** A new NumPy array (3, 3). */
nb::object Array(const Mat3& m);
/** A new NumPy array (4, 4), homogeneous. */
nb::object Array(const Pose& X);
/** A new NumPy array of rows of a structured type, from bytes laid out as that type says. */
nb::object Rows(nb::handle dtype, std::size_t rows, std::span<const std::byte> bytes);

/** The memory of a NumPy array that was just made here. */
void* DataOf(nb::handle array);

/** "[1, 2.5, 3]" for reprs. */
std::string Shown(const Vec3& v);
/** Likewise. */
std::string Shown(const Quaternion& q);

}  // namespace intervox::python
