#include "python/replacement.hpp"

#include <cstddef>
#include <cstring>

#include <structmember.h>

#include "python/watched.hpp"

namespace samebits::python {
namespace {

struct Replacement {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  PyObject* original;
  PyObject* acting;
  PyObject* weak_references;
};

Replacement* cast(PyObject* self) { return reinterpret_cast<Replacement*>(self); }

// Whether these are the globals of one of samebits' own modules.
bool is_own(PyObject* globals) {
  PyObject* name = globals == nullptr ? nullptr : PyDict_GetItemString(globals, "__name__");
  if (name == nullptr || !PyUnicode_Check(name)) return false;
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  return std::strncmp(text, "samebits.", 9) == 0;
}

bool is_own_frame(PyObject* frame) {
  PyObject* globals = PyObject_GetAttrString(frame, "f_globals");
  if (globals == nullptr) {
    PyErr_Clear();
    return false;
  }
  const bool own = PyDict_Check(globals) && is_own(globals);
  Py_DECREF(globals);
  return own;
}

// Takes samebits' frames, which come first, off the traceback of the pending exception.
void hide_own_frames() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  while (traceback != nullptr && traceback != Py_None) {
    PyTracebackObject* entry = reinterpret_cast<PyTracebackObject*>(traceback);
    if (!is_own_frame(reinterpret_cast<PyObject*>(entry->tb_frame))) break;
    PyObject* next = Py_XNewRef(reinterpret_cast<PyObject*>(entry->tb_next));
    Py_DECREF(traceback);
    traceback = next;
  }
  if (value != nullptr) {
    PyException_SetTraceback(value, traceback == nullptr ? Py_None : traceback);
    PyErr_Clear();  // of the call above alone; what was pending is put back below
  }
  PyErr_Restore(type, value, traceback);
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  Replacement* replacement = cast(self);
  // samebits measures its own time and names its own files by what is really there.
  if (is_own(PyEval_GetGlobals())) {
    return PyObject_Vectorcall(replacement->original, args, flagged, names);
  }
  PyObject* result = PyObject_Vectorcall(replacement->acting, args, flagged, names);
  if (result == nullptr) {
    hide_own_frames();
  } else if (watcher() != nullptr) {
    // The ledger tells what the script was told, not what stands behind it.
    watcher()->answered_for(replacement->original, args, PyVectorcall_NARGS(flagged), names, result);
  }
  return result;
}

PyObject* bind(PyObject* self, PyObject* object, PyObject* owner) {
  PyTypeObject* kind = Py_TYPE(cast(self)->original);
  if (kind->tp_descr_get == nullptr || PyMethod_Check(cast(self)->original)) return Py_NewRef(self);
  if (kind == &PyClassMethodDescr_Type) {
    PyObject* type = owner != nullptr ? owner : reinterpret_cast<PyObject*>(Py_TYPE(object));
    return PyMethod_New(self, type);
  }
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

bool is_answered_here(const char* name) {
  return std::strcmp(name, "__get__") == 0 || std::strcmp(name, "__call__") == 0 ||
         std::strcmp(name, "__reduce_ex__") == 0 || std::strcmp(name, "__copy__") == 0 ||
         std::strcmp(name, "__deepcopy__") == 0;
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  if (is_answered_here(text)) return PyObject_GenericGetAttr(self, name);
  return PyObject_GetAttr(cast(self)->original, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  return PyObject_SetAttr(cast(self)->original, name, value);
}

PyObject* represent(PyObject* self) { return PyObject_Repr(cast(self)->original); }

// A function of a module is pickled by its name, under which the reader finds the original; a bound
// method as itself.
PyObject* reduce(PyObject* self, PyObject* protocol) {
  PyObject* original = cast(self)->original;
  if (!PyMethod_Check(original)) {
    PyObject* owner = PyObject_GetAttrString(original, "__module__");
    const bool has_module = owner != nullptr && owner != Py_None;
    Py_XDECREF(owner);
    PyErr_Clear();
    if (has_module) return PyObject_GetAttrString(original, "__qualname__");
  }
  return PyObject_CallMethod(original, "__reduce_ex__", "O", protocol);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->original);
  Py_VISIT(cast(self)->acting);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(cast(self)->original);
  Py_CLEAR(cast(self)->acting);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (cast(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* create(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *original, *acting;
  if (!PyArg_ParseTuple(args, "OO", &original, &acting)) return nullptr;
  Replacement* replacement = reinterpret_cast<Replacement*>(type->tp_alloc(type, 0));
  if (replacement == nullptr) return nullptr;
  replacement->vectorcall = call;
  replacement->original = Py_NewRef(original);
  replacement->acting = Py_NewRef(acting);
  replacement->weak_references = nullptr;
  return reinterpret_cast<PyObject*>(replacement);
}

// A copy of a function is the function; that of a bound method has a copied object.
PyObject* deep_copy(PyObject* self, PyObject* memo) {
  PyObject* original = cast(self)->original;
  if (!PyMethod_Check(original)) return Py_NewRef(self);
  PyObject* copy = PyImport_ImportModule("copy");
  if (copy == nullptr) return nullptr;
  PyObject* result = PyObject_CallMethod(copy, "deepcopy", "OO", original, memo);
  Py_DECREF(copy);
  return result;
}

PyObject* shallow_copy(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyMethodDef g_methods[] = {
    {"__reduce_ex__", reduce, METH_O, nullptr},
    {"__copy__", shallow_copy, METH_NOARGS, nullptr},
    {"__deepcopy__", deep_copy, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef g_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Replacement, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Replacement, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot g_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(create)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
    {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
    {Py_tp_repr, reinterpret_cast<void*>(represent)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_members, g_members},
    {Py_tp_methods, g_methods},
    {0, nullptr},
};

PyType_Spec g_spec = {
    "samebits.core._native.Replacement", sizeof(Replacement), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, g_slots};

}  // namespace

PyObject* replaced_by(PyObject* value) {
  while (Py_TYPE(value)->tp_dealloc == dealloc) value = cast(value)->original;
  return value;
}

int add_replacement_type(PyObject* module) {
  PyObject* type = PyType_FromSpec(&g_spec);
  if (type == nullptr) return -1;
  const int outcome = PyModule_AddObjectRef(module, "Replacement", type);
  Py_DECREF(type);
  return outcome;
}

}  // namespace samebits::python
