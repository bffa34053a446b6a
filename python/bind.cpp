// The compiled half of the Python package: thin, so that what people see is written in Python
// (python/skim) and can be read there.
#include "bind.h"

#include <string_view>

namespace skim::python {
namespace {

const char* name_of(Fault fault) {
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

// A message may quote the name of a file, which may be any bytes.
py::str text_of(std::string_view message) {
  PyObject* text = PyUnicode_DecodeUTF8(message.data(), static_cast<py::ssize_t>(message.size()),
                                        "backslashreplace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

void raise_in_python(const Error& error) {
  try {
    const py::object made = py::module_::import("skim._errors")
                                .attr("error_of")(name_of(error.fault), text_of(error.message));
    PyErr_SetObject(py::type::handle_of(made).ptr(), made.ptr());
  } catch (py::error_already_set& other) {
    other.restore();
  }
}

}  // namespace

Policy policy_from(const PolicyParts& parts) {
  const auto& [threshold, rule, seed] = parts;
  Policy policy;
  policy.read_above = static_cast<float>(threshold);
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
    } catch (const skim::python::Refusal& refusal) {
      skim::python::raise_in_python(refusal.error());
    }
  });
  module.attr("__version__") = SKIM_VERSION;
  skim::python::bind_model(module);
  skim::python::bind_layer(module);
}
