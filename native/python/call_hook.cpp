#include "python/call_hook.hpp"

#include <cstddef>
#include <cstring>
#include <unordered_map>

#include <structmember.h>

#include "python/ledger.hpp"

namespace samebits::python {
namespace {

struct CallHook {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  Recorder* recorder;
  PyObject* owner;  // the recorder's Python object, which keeps it alive
  CallHookKind kind;
  PyObject* wrapped;
  PyObject* after;
  PyObject* weak_references;
};

PyTypeObject* g_call_hook_type = nullptr;

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

// Tells Python of the calling thread's beginning or end, whatever exception is on its way.
void tell_thread(PyObject* after, bool begins) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* answer = PyObject_CallFunctionObjArgs(after, begins ? Py_True : Py_False, nullptr);
  if (answer == nullptr) PyErr_WriteUnraisable(after);
  Py_XDECREF(answer);
  PyErr_Restore(type, value, traceback);
}

// A call of something hooked; `go_on` does what it would have done.
template <typename GoOn>
PyObject* called(Recorder* main, CallHookKind kind, PyObject* after, PyObject* const* args, size_t flagged,
                 PyObject* names, const GoOn& go_on) {
  const Py_ssize_t count = PyVectorcall_NARGS(flagged);
  if (kind == CallHookKind::kThread) {
    tell_thread(after, true);
    PyObject* result = go_on();
    tell_thread(after, false);
    return result;
  }
  if (kind == CallHookKind::kFetch) {
    PyObject* result = go_on();
    if (main->ledger != nullptr) main->ledger->fetched();
    return result;
  }
  if (kind == CallHookKind::kDrawn) {
    PyObject* result = go_on();
    if (result != nullptr && count > 0 && main->ledger != nullptr) main->ledger->note_chosen(args[0], result);
    return result;
  }
  if (!main->watching || (count == 0 && kind != CallHookKind::kCall)) return go_on();
  const bool is_of_torch = kind != CallHookKind::kCall && kind != CallHookKind::kSilent;
  Recorder* recorder = is_of_torch ? main->in_this_thread() : main;
  PyObject* result = nullptr;
  switch (kind) {
    case CallHookKind::kModule: {
      PyObject* module = args[0];
      recorder->enter_module(module);
      result = go_on();
      if (result != nullptr && recorder->recording_modules) {
        PyObject* arguments = positional(args + 1, count - 1);
        recorder->leave_module(module, arguments, result);
        Py_XDECREF(arguments);
      } else {
        recorder->leave_module(module, nullptr, result);
      }
      break;
    }
    case CallHookKind::kBatch: {
      if (!recorder->on_main_thread()) return go_on();
      const Phase before = recorder->phase;
      recorder->phase = Phase::kData;
      result = go_on();
      recorder->phase = before == Phase::kSetup ? Phase::kForward : before;
      if (result != nullptr) recorder->see_batch(result);
      break;
    }
    case CallHookKind::kSilent:
      ++Recorder::silent;
      result = go_on();
      --Recorder::silent;
      if (result != nullptr) recorder->see_arrival(result);
      break;
    case CallHookKind::kStorage: {
      const bool is_new = PyType_Check(args[0]) != 0;
      const record::Extent before = is_new ? record::Extent{} : recorder->storage_before(args[0]);
      result = go_on();
      // What is made of a sequence is filled at once.
      const bool by_size = !is_new || (count == 2 && PyLong_Check(args[1]) != 0);
      if (result != nullptr && by_size) recorder->see_storage(is_new ? result : args[0], before);
      break;
    }
    case CallHookKind::kLoss:
      recorder->see_loss(args[0]);
      result = go_on();
      break;
    case CallHookKind::kCall:
      result = go_on();
      if (result != nullptr && !tell(after, args, count, names, result)) Py_CLEAR(result);
      break;
    case CallHookKind::kThread:
    case CallHookKind::kFetch:
    case CallHookKind::kDrawn:
      break;  // see above
  }
  return result;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  CallHook* hook = reinterpret_cast<CallHook*>(self);
  return called(hook->recorder, hook->kind, hook->after, args, flagged, names,
                [&] { return PyObject_Vectorcall(hook->wrapped, args, flagged, names); });
}

// A hook inside a function that is written in Python. Both references keep what they are to alive.
struct Inside {
  Recorder* recorder;
  PyObject* owner;
  CallHookKind kind;
  PyObject* after;
  vectorcallfunc original;
};
std::unordered_map<PyObject*, Inside> g_inside;

PyObject* call_inside(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  const auto found = g_inside.find(self);
  // A function that was unhooked while a call of it had begun is never called through here again.
  const Inside inside = found->second;
  Py_XINCREF(inside.after);
  PyObject* result = called(inside.recorder, inside.kind, inside.after, args, flagged, names,
                            [&] { return inside.original(self, args, flagged, names); });
  Py_XDECREF(inside.after);
  return result;
}

void set_vectorcall(PyFunctionObject* function, vectorcallfunc code) {
  function->vectorcall = code;
#if PY_VERSION_HEX >= 0x030B0000
  // Call sites that were specialised for this function, and enter it by themselves, ask for the
  // version; the interpreter gives functions with another vectorcall none.
  function->func_version = 0;
#endif
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  CallHook* hook = reinterpret_cast<CallHook*>(self);
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  if (std::strcmp(text, "__wrapped__") == 0) return Py_NewRef(hook->wrapped);
  if (std::strcmp(text, "__get__") != 0 && std::strcmp(text, "__call__") != 0 &&
      std::strcmp(text, "__reduce_ex__") != 0) {
    PyObject* value = PyObject_GetAttr(hook->wrapped, name);
    if (value != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
    PyErr_Clear();
  }
  return PyObject_GenericGetAttr(self, name);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  CallHook* hook = reinterpret_cast<CallHook*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(hook->owner);
  Py_VISIT(hook->wrapped);
  Py_VISIT(hook->after);
  return 0;
}

int clear(PyObject* self) {
  CallHook* hook = reinterpret_cast<CallHook*>(self);
  Py_CLEAR(hook->owner);
  Py_CLEAR(hook->wrapped);
  Py_CLEAR(hook->after);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (reinterpret_cast<CallHook*>(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// Whether a name in a module leads to this very object, so that a pickle may hold the name alone.
bool is_found_as(PyObject* self, PyObject* module_name, PyObject* name) {
  PyObject* found = PyImport_GetModule(module_name);
  PyObject* path = found != nullptr ? PyObject_CallMethod(name, "split", "s", ".") : nullptr;
  for (Py_ssize_t i = 0; path != nullptr && found != nullptr && i < PyList_GET_SIZE(path); ++i) {
    PyObject* next = PyObject_GetAttr(found, PyList_GET_ITEM(path, i));
    Py_DECREF(found);
    found = next;
  }
  const bool same = found == self;
  Py_XDECREF(path);
  Py_XDECREF(found);
  PyErr_Clear();
  return same;
}

// A pickle holds what it would hold of the function itself: its name, under which a reader finds
// it, with samebits or without.
PyObject* reduce(PyObject* self, PyObject* protocol) {
  PyObject* wrapped = reinterpret_cast<CallHook*>(self)->wrapped;
  PyObject* module = PyObject_GetAttrString(wrapped, "__module__");
  PyObject* name = module != nullptr ? PyObject_GetAttrString(wrapped, "__qualname__") : nullptr;
  const bool named = name != nullptr && PyUnicode_Check(name) && PyUnicode_Check(module);
  if (named && is_found_as(self, module, name)) {
    Py_DECREF(module);
    return name;
  }
  const bool plainly = named && is_found_as(wrapped, module, name);
  Py_XDECREF(module);
  Py_XDECREF(name);
  PyErr_Clear();
  if (!plainly) return PyObject_CallMethod(wrapped, "__reduce_ex__", "O", protocol);
  PyObject* copy = PyImport_ImportModule("copy");
  if (copy == nullptr) return nullptr;
  PyObject* same = PyObject_GetAttrString(copy, "copy");
  Py_DECREF(copy);
  if (same == nullptr) return nullptr;
  return Py_BuildValue("(N(O))", same, wrapped);
}

PyObject* represent(PyObject* self) { return PyObject_Repr(reinterpret_cast<CallHook*>(self)->wrapped); }

// A copy of a function is the function.
PyObject* copy_of(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyMethodDef g_methods[] = {
    {"__reduce_ex__", reduce, METH_O, nullptr},
    {"__copy__", copy_of, METH_NOARGS, nullptr},
    {"__deepcopy__", copy_of, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef g_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CallHook, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CallHook, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot g_slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
    {Py_tp_repr, reinterpret_cast<void*>(represent)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_members, g_members},
    {Py_tp_methods, g_methods},
    {0, nullptr},
};

PyType_Spec g_spec = {
    "samebits.core._native.CallHook", sizeof(CallHook), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    g_slots};

}  // namespace

int add_call_hook_type(PyObject* module) {
  g_call_hook_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&g_spec));
  if (g_call_hook_type == nullptr) return -1;
  return PyModule_AddObjectRef(module, "CallHook", reinterpret_cast<PyObject*>(g_call_hook_type));
}

bool hook_inside(Recorder* recorder, PyObject* owner, CallHookKind kind, PyObject* function, PyObject* after) {
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
  // 3.11 enters Python's functions without asking how they want to be called.
  return false;
#endif
  if (!PyFunction_Check(function) || g_inside.count(function) != 0) return false;
  auto* plain = reinterpret_cast<PyFunctionObject*>(function);
  Py_INCREF(function);
  g_inside.emplace(function, Inside{recorder, Py_NewRef(owner), kind, Py_XNewRef(after), plain->vectorcall});
  set_vectorcall(plain, call_inside);
  return true;
}

void unhook_inside(PyObject* function) {
  const auto found = g_inside.find(function);
  if (found == g_inside.end()) return;
  const Inside inside = found->second;
  auto* plain = reinterpret_cast<PyFunctionObject*>(function);
  if (plain->vectorcall != call_inside) return;  // somebody else's comes before ours: it stays
  set_vectorcall(plain, inside.original);
  g_inside.erase(found);
  Py_DECREF(inside.owner);
  Py_XDECREF(inside.after);
  Py_DECREF(function);
}

PyObject* make_call_hook(Recorder* recorder, PyObject* owner, CallHookKind kind, PyObject* wrapped, PyObject* after) {
  CallHook* hook = PyObject_GC_New(CallHook, g_call_hook_type);
  if (hook == nullptr) return nullptr;
  hook->vectorcall = call;
  hook->recorder = recorder;
  hook->owner = Py_NewRef(owner);
  hook->kind = kind;
  hook->wrapped = Py_NewRef(wrapped);
  hook->after = Py_XNewRef(after);
  hook->weak_references = nullptr;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(hook));
  return reinterpret_cast<PyObject*>(hook);
}

}  // namespace samebits::python
