// The extension module intervox._core: the C++ library as Python calls it.
#include <stdexcept>

#include "host/input/error.h"
#include "python/bindings/bindings.h"

namespace {

namespace nb = nanobind;

/** intervox.InputError, a ValueError. */
nb::handle input_error;

/** What the library throws for bad input becomes an InputError with its message. */
void Translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const intervox::host::InputError& error) {
    PyErr_SetString(input_error.ptr(), error.what());
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(input_error.ptr(), error.what());
  }
}

}  // namespace

NB_MODULE(_core, m) {
  using namespace intervox::python;  // NOLINT(google-build-using-namespace): local to the module
  // The cache of Python's own typing keeps classes to the end, which nanobind would call a leak.
  nb::set_leak_warnings(false);
  m.doc() =
      "Contact dynamics from volumes of interference. SI units; quaternions are (w, x, y, z).";
  m.attr("__version__") = INTERVOX_VERSION;
  input_error = PyErr_NewExceptionWithDoc(
      "intervox._core.InputError",
      "Bad input: the message names file, line, key, value and remedy, as the program's do.",
      PyExc_ValueError, nullptr);
  m.attr("InputError") = nb::steal(input_error.inc_ref());
  nb::register_exception_translator(Translate);
  BindPose(m);
  BindScene(m);
  BindMeasure(m);
  BindDistance(m);
  BindReports(m);
  BindSimulation(m);
  BindBatch(m);
}
