#include "python/tap.hpp"

#include <cstddef>
#include <cstring>

#include <structmember.h>

namespace samebits::python {
namespace {

struct Tap {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  Recorder* recorder;
  PyObject* owner;  // the recorder's Python object, which keeps it alive
  TapKind kind;
  PyObject* wrapped;
  PyObject* after;
};

PyTypeObject* g_tap_type = nullptr;

PyObject* positional(PyObject* const* args, Py_ssize_t count) {
  PyObject* tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple != nullptr && i < count; ++i) {
    PyTuple_SET_ITEM(tuple, i, Py_NewRef(args[i]));
  }
  return tuple;
}

// Tells Python of a finished call. What the callback raises is not the script's concern, except an
// interrupt or an exit, which was meant for it: then false, with the exception set.
bool tell(PyObject* after, PyObject* const* args, Py_ssize_t count, PyObject* names,
          PyObject* result) {
  PyObject* arguments = positional(args, count);
  PyObject* keywords = PyDict_New();
  if (names != nullptr && keywords != nullptr) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
      PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, i), args[count + i]);
    }
  }
  PyObject* answer = nullptr;
  if (arguments != nullptr && keywords != nullptr) {
    answer = PyObject_CallFunctionObjArgs(after, arguments, keywords, result, nullptr);
  }
  const bool meant_for_script = answer == nullptr && !PyErr_ExceptionMatches(PyExc_Exception);
  if (answer == nullptr && !meant_for_script) PyErr_WriteUnraisable(after);
  Py_XDECREF(answer);
  Py_XDECREF(keywords);
  Py_XDECREF(arguments);
  return !meant_for_script;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  Tap* tap = reinterpret_cast<Tap*>(self);
  Recorder* recorder = tap->recorder;
  const Py_ssize_t count = PyVectorcall_NARGS(flagged);
  if (!recorder->watching || (count == 0 && tap->kind != TapKind::kCall)) {
    return PyObject_Vectorcall(tap->wrapped, args, flagged, names);
  }
  PyObject* result = nullptr;
  switch (tap->kind) {
    case TapKind::kModule: {
      PyObject* module = args[0];
      recorder->enter_module(module);
      result = PyObject_Vectorcall(tap->wrapped, args, flagged, names);
      if (result != nullptr && recorder->recording_modules) {
        PyObject* arguments = positional(args + 1, count - 1);
        recorder->leave_module(module, arguments, result);
        Py_XDECREF(arguments);
      } else {
        recorder->leave_module(module, nullptr, result);
      }
      break;
    }
    case TapKind::kBatch: {
      if (!recorder->on_main_thread()) {
        return PyObject_Vectorcall(tap->wrapped, args, flagged, names);
      }
      const Phase before = recorder->phase;
      recorder->phase = Phase::kData;
      result = PyObject_Vectorcall(tap->wrapped, args, flagged, names);
      recorder->phase = before == Phase::kSetup ? Phase::kForward : before;
      if (result != nullptr) recorder->see_batch(result);
      break;
    }
    case TapKind::kSilent:
      ++Recorder::silent;
      result = PyObject_Vectorcall(tap->wrapped, args, flagged, names);
      --Recorder::silent;
      if (result != nullptr) recorder->see_arrival(result);
      break;
    case TapKind::kLoss:
      recorder->see_loss(args[0]);
      result = PyObject_Vectorcall(tap->wrapped, args, flagged, names);
      break;
    case TapKind::kCall:
      result = PyObject_Vectorcall(tap->wrapped, args, flagged, names);
      if (result != nullptr && !tell(tap->after, args, count, names, result)) Py_CLEAR(result);
      break;
  }
  return result;
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  Tap* tap = reinterpret_cast<Tap*>(self);
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  if (std::strcmp(text, "__wrapped__") == 0) return Py_NewRef(tap->wrapped);
  if (std::strcmp(text, "__class__") != 0 && std::strcmp(text, "__get__") != 0 &&
      std::strcmp(text, "__call__") != 0 && std::strcmp(text, "__reduce_ex__") != 0) {
    PyObject* value = PyObject_GetAttr(tap->wrapped, name);
    if (value != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
    PyErr_Clear();
  }
  return PyObject_GenericGetAttr(self, name);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Tap* tap = reinterpret_cast<Tap*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(tap->owner);
  Py_VISIT(tap->wrapped);
  Py_VISIT(tap->after);
  return 0;
}

int clear(PyObject* self) {
  Tap* tap = reinterpret_cast<Tap*>(self);
  Py_CLEAR(tap->owner);
  Py_CLEAR(tap->wrapped);
  Py_CLEAR(tap->after);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// Pickles and copies become what is wrapped: samebits is not needed to read them, and
// copy.copy(function) is the function itself.
PyObject* reduce(PyObject* self, PyObject*) {
  PyObject* copy = PyImport_ImportModule("copy");
  if (copy == nullptr) return nullptr;
  PyObject* same = PyObject_GetAttrString(copy, "copy");
  Py_DECREF(copy);
  if (same == nullptr) return nullptr;
  return Py_BuildValue("(N(O))", same, reinterpret_cast<Tap*>(self)->wrapped);
}

PyMethodDef g_methods[] = {
    {"__reduce_ex__", reduce, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef g_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Tap, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot g_slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_members, g_members},
    {Py_tp_methods, g_methods},
    {0, nullptr},
};

PyType_Spec g_spec = {
    "samebits._native.Tap", sizeof(Tap), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    g_slots};

}  // namespace

int add_tap_type(PyObject* module) {
  g_tap_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&g_spec));
  if (g_tap_type == nullptr) return -1;
  return PyModule_AddObjectRef(module, "Tap", reinterpret_cast<PyObject*>(g_tap_type));
}

PyObject* make_tap(Recorder* recorder, PyObject* owner, TapKind kind, PyObject* wrapped, PyObject* after) {
  Tap* tap = PyObject_GC_New(Tap, g_tap_type);
  if (tap == nullptr) return nullptr;
  tap->vectorcall = call;
  tap->recorder = recorder;
  tap->owner = Py_NewRef(owner);
  tap->kind = kind;
  tap->wrapped = Py_NewRef(wrapped);
  tap->after = Py_XNewRef(after);
  PyObject_GC_Track(reinterpret_cast<PyObject*>(tap));
  return reinterpret_cast<PyObject*>(tap);
}

}  // namespace samebits::python
