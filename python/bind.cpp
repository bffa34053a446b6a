// The extension module _skim: a thin layer over the library. The public API is in python/skim.
#include "bind.h"

#include <string_view>

#include "skim/version.h"

namespace skim::python {
namespace {

const char* to_string(Fault fault) {
  switch (fault) {
    case Fault::io:
      return "io";
    case Fault::format:
      return "format";
    case Fault::version:
      return "version";
    case Fault::mismatch:
      return "mismatch";
    case Fault::argument:
      break;
  }
  return "argument";
}

// Decodes an error message, which may quote a path with arbitrary bytes.
py::str decode_message(std::string_view message) {
  PyObject* text = PyUnicode_DecodeUTF8(message.data(), static_cast<py::ssize_t>(message.size()),
                                        "backslashreplace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

void set_python_error(const Error& error) {
  try {
    const py::object exception =
        py::module_::import("skim._errors")
            .attr("make_error")(to_string(error.fault), decode_message(error.message));
    PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
  } catch (py::error_already_set& other) {
    other.restore();
  }
}

}  // namespace

Policy to_policy(const PolicyParts& parts) {
  const auto& [threshold, rule, seed] = parts;
  Policy policy;
  policy.threshold = static_cast<float>(threshold);
  if (rule == "argmax") policy.rule = Policy::Rule::argmax;
  if (rule == "sample") policy.rule = Policy::Rule::sample;
  policy.seed = seed;
  return policy;
}

}  // namespace skim::python

PYBIND11_MODULE(_skim, module) {
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const skim::python::LibraryError& error) {
      skim::python::set_python_error(error.error());
    }
  });
  module.attr("__version__") = SKIM_VERSION;
  skim::python::bind_model(module);
  skim::python::bind_layer(module);
}
