// Shared by the sources of the Python extension module. python/skim checks and converts arguments,
// so they have the right types here; only the library itself can still reject them.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skim/policy.h"
#include "skim/result.h"

namespace skim::python {

namespace py = pybind11;

// A library error as a C++ exception; bind.cpp translates it to skim.Error.
class LibraryError : public std::exception {
 public:
  explicit LibraryError(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

// The value of a result; throws LibraryError if it holds an error.
template <class T>
T unwrap(Result<T>&& result) {
  if (!result) throw LibraryError(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Takes the GIL again, for GilRelease. Does not return once the interpreter is being finalized.
void acquire_gil(PyThreadState* state) noexcept;

// Releases the GIL during its lifetime. Unlike pybind11::gil_scoped_release it may be used in
// daemon threads: those must not unwind through C++ when the interpreter ends (see acquire_gil).
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;
  ~GilRelease() { acquire_gil(state_); }

 private:
  PyThreadState* state_;
};

// The method __new__ and the slot tp_new of classes without a constructor: raise TypeError.
void throw_no_constructor(const py::args& arguments, const py::kwargs& keywords);
PyObject* refuse_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords);

// Declares a class without a constructor; its instances come from functions of this module.
// pybind11 alone would let `Class.__new__(Class)` return an instance without a C++ object, whose
// methods crash.
template <class T>
py::class_<T> declare_class(py::module_& module, const char* name) {
  py::class_<T> declared(module, name);
  declared.def_static("__new__", &throw_no_constructor);
  // The slot, too: a base class could create an instance otherwise.
  auto* type = reinterpret_cast<PyTypeObject*>(declared.ptr());
  type->tp_new = &refuse_new;
  PyType_Modified(type);
  return declared;
}

// Threshold, rule, seed and confident, as python/skim/_policy.py passes them.
using PolicyParts = std::tuple<double, std::string, std::uint64_t, std::optional<double>>;
Policy to_policy(const PolicyParts& parts);

// A read-only NumPy array with a copy of the values: readings are immutable. NumPy releases the GIL
// when it copies many values, and a daemon thread must not wait for the GIL here (see acquire_gil).
template <class T>
py::array_t<T> make_readonly_array(std::vector<py::ssize_t> shape, const T* values) {
  py::array_t<T> array(std::move(shape));
  std::copy_n(values, array.size(), array.mutable_data());
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

void bind_model(py::module_& module);
void bind_layer(py::module_& module);

}  // namespace skim::python
