// Functions, methods and classmethods of C, and those of Cython, watched in their definitions.
#include <array>
#include <cstring>
#include <utility>

#include <dlfcn.h>

#include "python/watched_call.hpp"

namespace samebits::python {
namespace {

constexpr int kFunctions = 320;

using WithDict = PyCFunctionWithKeywords;
using Fast = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
using FastWithNames = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
using OfClass = PyObject* (*)(PyObject*, PyTypeObject*, PyObject* const*, size_t, PyObject*);

struct Function {
  PyMethodDef* definition = nullptr;
  PyCFunction original = nullptr;
  PyCFunction replacement = nullptr;
  int rule = 0;
};

// Never emptied: a call that is under way still finds here what it stands for.
std::array<Function, kFunctions> g_functions;
int g_function_count = 0;

PyObject* run(const Function& function, PyObject* self, PyObject* argument) {
  Watch watch(function.rule);
  PyObject* result = function.original(self, argument);
  if ((function.definition->ml_flags & METH_VARARGS) != 0) return watch.done(of_tuple(self, argument, nullptr), result);
  WatchedCall call;
  call.self = self;
  call.args = &argument;
  call.count = argument != nullptr && (function.definition->ml_flags & METH_O) != 0 ? 1 : 0;
  return watch.done(call, result);
}

PyObject* run(const Function& function, PyObject* self, PyObject* args, PyObject* keywords) {
  Watch watch(function.rule);
  PyObject* result = reinterpret_cast<WithDict>(reinterpret_cast<void (*)()>(function.original))(self, args, keywords);
  return watch.done(of_tuple(self, args, keywords), result);
}

PyObject* run(const Function& function, PyObject* self, PyObject* const* args, Py_ssize_t count) {
  Watch watch(function.rule);
  PyObject* result = reinterpret_cast<Fast>(reinterpret_cast<void (*)()>(function.original))(self, args, count);
  return watch.done(WatchedCall{self, args, count, nullptr, nullptr}, result);
}

PyObject* run(const Function& function, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  Watch watch(function.rule);
  PyObject* result =
      reinterpret_cast<FastWithNames>(reinterpret_cast<void (*)()>(function.original))(self, args, count, names);
  return watch.done(WatchedCall{self, args, count, names, nullptr}, result);
}

PyObject* run(const Function& function, PyObject* self, PyTypeObject* type, PyObject* const* args, size_t flagged,
              PyObject* names) {
  Watch watch(function.rule);
  PyObject* result =
      reinterpret_cast<OfClass>(reinterpret_cast<void (*)()>(function.original))(self, type, args, flagged, names);
  return watch.done(WatchedCall{self, args, PyVectorcall_NARGS(flagged), names, nullptr}, result);
}

// One function of C for each place in the table: C has no closures, and the definition's code is
// given nothing that would say which definition it is.
template <int I>
struct Entry {
  static PyObject* plain(PyObject* self, PyObject* argument) { return run(g_functions[I], self, argument); }
  static PyObject* with_dict(PyObject* self, PyObject* args, PyObject* keywords) {
    return run(g_functions[I], self, args, keywords);
  }
  static PyObject* fast(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return run(g_functions[I], self, args, count);
  }
  static PyObject* fast_with_names(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    return run(g_functions[I], self, args, count, names);
  }
  static PyObject* of_class(PyObject* self, PyTypeObject* type, PyObject* const* args, size_t flagged,
                            PyObject* names) {
    return run(g_functions[I], self, type, args, flagged, names);
  }
};

struct Conventions {
  PyCFunction plain, with_dict, fast, fast_with_names, of_class;
};

template <typename F>
PyCFunction erased(F function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

template <size_t... I>
constexpr auto make_entries(std::index_sequence<I...>) {
  return std::array<Conventions (*)(), sizeof...(I)>{+[]() {
    using E = Entry<static_cast<int>(I)>;
    return Conventions{E::plain, erased(E::with_dict), erased(E::fast), erased(E::fast_with_names),
                       erased(E::of_class)};
  }...};
}
const auto g_entries = make_entries(std::make_index_sequence<kFunctions>{});

// Cython's functions begin as Python's own functions of C do, unless they were built for the limited
// API; then another pointer stands there, to memory that belongs to no library.
PyMethodDef* cython_definition(PyObject* function) {
  PyTypeObject* type = Py_TYPE(function);
  if (std::strstr(type->tp_name, "cython_function_or_method") == nullptr) return nullptr;
  if (type->tp_basicsize < static_cast<Py_ssize_t>(sizeof(PyCFunctionObject))) return nullptr;
  PyMethodDef* definition = reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  Dl_info facts;
  if (definition == nullptr || dladdr(definition, &facts) == 0) return nullptr;
  if (definition->ml_name == nullptr || dladdr(definition->ml_name, &facts) == 0) return nullptr;
  return definition;
}

PyMethodDef* definition_of(PyObject* function) {
  if (PyMethod_Check(function)) return definition_of(PyMethod_GET_FUNCTION(function));
  if (PyCFunction_Check(function)) return reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  if (Py_TYPE(function) == &PyMethodDescr_Type || Py_TYPE(function) == &PyClassMethodDescr_Type) {
    return reinterpret_cast<PyMethodDescrObject*>(function)->d_method;
  }
  return cython_definition(function);
}

PyCFunction replacement_of(int number, int flags) {
  const Conventions codes = g_entries[static_cast<size_t>(number)]();
  switch (flags & (METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | METH_FASTCALL | METH_METHOD)) {
    case METH_NOARGS:
    case METH_O:
    case METH_VARARGS:
      return codes.plain;
    case METH_VARARGS | METH_KEYWORDS:
      return codes.with_dict;
    case METH_FASTCALL:
      return codes.fast;
    case METH_FASTCALL | METH_KEYWORDS:
      return codes.fast_with_names;
    case METH_METHOD | METH_FASTCALL | METH_KEYWORDS:
      return codes.of_class;
    default:
      return nullptr;
  }
}

}  // namespace

bool watch_function(PyObject* function, int rule) {
  PyMethodDef* definition = definition_of(function);
  if (definition == nullptr) return false;
  int number = 0;
  while (number < g_function_count && g_functions[static_cast<size_t>(number)].definition != definition) ++number;
  if (number == kFunctions) return false;
  Function& place = g_functions[static_cast<size_t>(number)];
  const PyCFunction replacement = replacement_of(number, definition->ml_flags);
  if (replacement == nullptr) return false;
  if (definition->ml_meth == replacement) return true;  // watched already
  place = Function{definition, definition->ml_meth, replacement, rule};
  if (number < g_function_count) {  // it has been written before
    definition->ml_meth = replacement;
    return true;
  }
  ++g_function_count;
  return write_pointer(&definition->ml_meth, reinterpret_cast<const void*>(replacement));
}

int rule_of(PyObject* function) {
  const PyMethodDef* definition = definition_of(function);
  for (int i = 0; definition != nullptr && i < g_function_count; ++i) {
    const Function& place = g_functions[static_cast<size_t>(i)];
    if (place.definition == definition && definition->ml_meth == place.replacement) return place.rule;
  }
  return -1;
}

void unwatch_functions() {
  for (int i = 0; i < g_function_count; ++i) {
    const Function& place = g_functions[static_cast<size_t>(i)];
    // Somebody else may have put another function there since.
    if (place.definition->ml_meth == place.replacement) {
      place.definition->ml_meth = place.original;
    }
  }
}

}  // namespace samebits::python
