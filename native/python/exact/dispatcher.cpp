#include "python/exact/dispatcher.hpp"

#include "exact/team_state.hpp"
#include "python/exact/gate.hpp"
#include "python/exact/tensors.hpp"

namespace samebits::python::exact_arithmetic {

Dispatcher::Handler* Dispatcher::resolved(PyObject* operation) {
  const auto found = handlers_.find(operation);
  if (found != handlers_.end()) return &found->second;
  PyObject* answer = PyObject_CallOneArg(resolve_, operation);
  if (answer == nullptr) return nullptr;
  Handler handler{};
  PyObject* shortcut = nullptr;
  PyObject* dtypes = nullptr;
  PyObject* places = nullptr;
  PyObject* names = nullptr;
  bool good = PyArg_ParseTuple(answer, "OOOO!O!", &handler.call, &shortcut, &dtypes, &PyTuple_Type, &places,
                               &PyTuple_Type, &names) != 0;
  if (good && dtypes != Py_None) {
    handler.gated = true;
    handler.dtypes = PyLong_AsUnsignedLongLong(dtypes);
    good = PyErr_Occurred() == nullptr;
  }
  for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(places); ++i) {
    handler.written.push_back(static_cast<int>(PyLong_AsLong(PyTuple_GET_ITEM(places, i))));
  }
  for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(names); ++i) {
    handler.written_names.push_back(owned_.keep(PyTuple_GET_ITEM(names, i)));
  }
  if (good && shortcut != Py_None) {
    int kind = 0;
    int negated = 0;
    good = PyArg_ParseTuple(shortcut, "iiip", &kind, &handler.plain.tensors, &handler.plain.number, &negated) != 0;
    handler.plain.kind = static_cast<Shortcut>(kind);
    handler.plain.negated = negated != 0;
  }
  if (good) {
    owned_.keep(operation);
    owned_.keep(handler.call);
  }
  Py_DECREF(answer);
  if (!good) return nullptr;
  return &handlers_.emplace(operation, handler).first->second;
}

PyObject* Dispatcher::dispatch(PyObject* operation, PyObject* args, PyObject* kwargs) {
  const Handler* handler = resolved(operation);
  if (handler == nullptr) return nullptr;
  if (kwargs == Py_None) kwargs = nullptr;
  exact::keep_team_plain();  // the script may have changed what it was when the block began
  const bool writes = handler->gated && (!handler->written.empty() || !handler->written_names.empty());
  const bool shared = writes && overlaps(args, kwargs, handler->written, handler->written_names);
  if (!shared && handler->plain.kind != Shortcut::kNone) {
    PyObject* result = take_shortcut(handler->plain, args, kwargs);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  // Shortcuts look at their operands themselves.
  if (shared || (handler->gated && !plainly_admitted(args, kwargs, handler->dtypes))) {
    PyObject* answer = PyObject_CallFunctionObjArgs(at_gate_, operation, args, kwargs == nullptr ? Py_None : kwargs, nullptr);
    if (answer == nullptr) return nullptr;
    const Py_ssize_t count = PyTuple_Check(answer) ? PyTuple_GET_SIZE(answer) : 0;
    PyObject* result = count == 1 ? Py_NewRef(PyTuple_GET_ITEM(answer, 0)) : nullptr;
    if (count == 2) result = dispatch(operation, PyTuple_GET_ITEM(answer, 0), PyTuple_GET_ITEM(answer, 1));
    Py_DECREF(answer);
    if (count == 2) return result;
    if (result != nullptr) return result;
  }
  if (handler->call == Py_None) return PyObject_Call(operation, args, kwargs);
  PyObject* result = PyObject_Call(handler->call, args, kwargs);
  return result == nullptr ? refused(operation, args, kwargs) : result;
}

PyObject* Dispatcher::dispatch_others(PyObject* operation, PyObject* types, PyObject* args, PyObject* kwargs) {
  return PyObject_CallFunctionObjArgs(others_, operation, types, args, kwargs == nullptr ? Py_None : kwargs, nullptr);
}

PyObject* Dispatcher::refused(PyObject* operation, PyObject* args, PyObject* kwargs) {
  PyObject *kind, *error, *trace;
  PyErr_Fetch(&kind, &error, &trace);
  PyErr_NormalizeException(&kind, &error, &trace);
  PyObject* answer = PyObject_CallFunctionObjArgs(after_refusal_, operation, args, kwargs == nullptr ? Py_None : kwargs,
                                                  error, nullptr);
  if (answer == nullptr) {  // the better error
    Py_XDECREF(kind);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return nullptr;
  }
  Py_DECREF(answer);
  PyErr_Restore(kind, error, trace);
  return nullptr;
}

namespace {

// Interned: torch asks at every operation.
PyObject* attribute() {
  static PyObject* const name = PyUnicode_InternFromString("_dispatcher_address");
  return name;
}

// Whether types are among those of the tensors that dispatch by themselves. torch names others, too.
bool has_others(PyObject* types) {
  const Py_ssize_t count = PyTuple_Check(types) ? PyTuple_GET_SIZE(types) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* one = PyTuple_GET_ITEM(types, i);
    if (one == g_torch.tensor || one == g_torch.parameter) continue;
    PyObject* own = PyObject_GetAttrString(one, "__torch_dispatch__");
    if (own == nullptr) PyErr_Clear();
    Py_XDECREF(own);
    if (own != g_torch.dispatches_not) return true;
  }
  return false;
}

PyObject* torch_dispatch(PyObject* mode, PyObject* const* args, Py_ssize_t count) {
  // torch's own calling convention: (op, types, args, kwargs).
  if (count < 3) {
    PyErr_SetString(PyExc_TypeError, "__torch_dispatch__ takes an operation, types and arguments");
    return nullptr;
  }
  PyObject* address = PyObject_GetAttr(mode, attribute());
  if (address == nullptr) return nullptr;
  auto* dispatcher = static_cast<Dispatcher*>(PyLong_AsVoidPtr(address));
  Py_DECREF(address);
  if (dispatcher == nullptr) return nullptr;
  PyObject* kwargs = count > 3 ? args[3] : nullptr;
  if (has_others(args[1])) return dispatcher->dispatch_others(args[0], args[1], args[2], kwargs);
  return dispatcher->dispatch(args[0], args[2], kwargs);
}

PyMethodDef g_dispatch = {"__torch_dispatch__",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(torch_dispatch)),
                          METH_FASTCALL, nullptr};

}  // namespace

PyObject* bind_dispatch(Dispatcher* dispatcher, PyObject* mode) {
  PyObject* address = PyLong_FromVoidPtr(dispatcher);
  if (address == nullptr) return nullptr;
  const int set = PyObject_SetAttr(mode, attribute(), address);
  Py_DECREF(address);
  return set != 0 ? nullptr : PyCFunction_New(&g_dispatch, mode);
}

}  // namespace samebits::python::exact_arithmetic
