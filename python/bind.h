// Shared by the sources of the Python extension module. python/skim checks and converts arguments,
// so they have the right types here; only the library itself can still reject them.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <exception>
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

// Threshold, rule and seed, as python/skim/_policy.py passes them.
using PolicyParts = std::tuple<double, std::string, std::uint64_t>;
Policy to_policy(const PolicyParts& parts);

// A read-only NumPy array with a copy of the values: readings are immutable.
template <class T>
py::array_t<T> make_readonly_array(std::vector<py::ssize_t> shape, const T* values) {
  py::array_t<T> array(std::move(shape), values);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

void bind_model(py::module_& module);
void bind_layer(py::module_& module);

}  // namespace skim::python
