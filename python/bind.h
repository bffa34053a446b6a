// What the parts of the Python module share. Python code checks and converts what people pass in
// (python/skim), so what arrives here has the right type; only the library still says no.
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

// An error of the library on its way to Python, where bind.cpp makes a skim.Error of it.
class Refusal : public std::exception {
 public:
  explicit Refusal(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

template <class T>
T value_of(Result<T>&& result) {
  if (!result) throw Refusal(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// As python/skim/_policy.py hands it over: threshold, rule, seed.
using PolicyParts = std::tuple<double, std::string, std::uint64_t>;
Policy policy_from(const PolicyParts& parts);

// A copy that nobody can write to: readings never change.
template <class T>
py::array_t<T> fixed_array(std::vector<py::ssize_t> shape, const T* values) {
  py::array_t<T> array(std::move(shape), values);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

void bind_model(py::module_& module);
void bind_layer(py::module_& module);

}  // namespace skim::python
