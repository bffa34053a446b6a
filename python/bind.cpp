// The extension module _skim: a thin layer over the library. The public API is in python/skim.
#include "bind.h"

#include <unistd.h>

#include <string_view>

#include "skim/version.h"

namespace skim::python {
namespace {

constexpr const char* kNoConstructor =
    "this class has no constructor; use the functions of skim that return an instance";

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

// Calls types that are implemented in C only: bytecode may give up the GIL, and a daemon thread
// that is ended there unwinds through C++ (see acquire_gil).
void set_python_error(const Error& error) {
  try {
    const char* type = error.fault == Fault::io ? "FileError" : "Error";
    const py::object exception =
        py::module_::import("skim._errors").attr(type)(decode_message(error.message));
    exception.attr("fault") = to_string(error.fault);
    PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
  } catch (py::error_already_set& other) {
    other.restore();
  }
}

}  // namespace

// While the interpreter is finalized, CPython up to 3.13 ends a daemon thread that wants the GIL
// with pthread_exit. The C library then unwinds the stack like an exception, which terminates the
// process at the first noexcept function and releases Python objects without the GIL. Such a thread
// stops here instead, as CPython 3.14 makes it, until the process ends.
void acquire_gil(PyThreadState* state) noexcept {
  try {
    PyEval_RestoreThread(state);
  } catch (...) {
    for (;;) ::pause();
  }
}

void throw_no_constructor(const py::args& /*arguments*/, const py::kwargs& /*keywords*/) {
  throw py::type_error(kNoConstructor);
}

PyObject* refuse_new(PyTypeObject* /*type*/, PyObject* /*arguments*/, PyObject* /*keywords*/) {
  PyErr_SetString(PyExc_TypeError, kNoConstructor);
  return nullptr;
}

Policy to_policy(const PolicyParts& parts) {
  const auto& [threshold, rule, seed, confident] = parts;
  Policy policy;
  policy.threshold = static_cast<float>(threshold);
  if (rule == "argmax") policy.rule = Policy::Rule::argmax;
  if (rule == "sample") policy.rule = Policy::Rule::sample;
  policy.seed = seed;
  if (confident) policy.confident = static_cast<float>(*confident);
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
