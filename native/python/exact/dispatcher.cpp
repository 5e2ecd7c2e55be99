#include "python/exact/dispatcher.hpp"

namespace samebits::python::exact_arithmetic {

PyObject* Dispatcher::dispatch(PyObject* operation, PyObject* args, PyObject* kwargs) {
  PyObject* handler;
  const auto found = handlers_.find(operation);
  if (found != handlers_.end()) {
    handler = found->second;
  } else {
    handler = PyObject_CallOneArg(resolve_, operation);
    if (handler == nullptr) return nullptr;
    owned_.keep(operation);
    owned_.keep(handler);
    Py_DECREF(handler);
    handlers_.emplace(operation, handler);
  }
  if (kwargs == Py_None) kwargs = nullptr;
  return PyObject_Call(handler == Py_None ? operation : handler, args, kwargs);
}

namespace {

const char* const kAttribute = "_dispatcher_address";

PyObject* torch_dispatch(PyObject* mode, PyObject* const* args, Py_ssize_t count) {
  // torch's own calling convention: (op, types, args, kwargs).
  if (count < 3) {
    PyErr_SetString(PyExc_TypeError, "__torch_dispatch__ takes an operation, types and arguments");
    return nullptr;
  }
  PyObject* address = PyObject_GetAttrString(mode, kAttribute);
  if (address == nullptr) return nullptr;
  auto* dispatcher = static_cast<Dispatcher*>(PyLong_AsVoidPtr(address));
  Py_DECREF(address);
  if (dispatcher == nullptr) return nullptr;
  return dispatcher->dispatch(args[0], args[2], count > 3 ? args[3] : nullptr);
}

PyMethodDef g_dispatch = {"__torch_dispatch__",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(torch_dispatch)),
                          METH_FASTCALL, nullptr};

}  // namespace

PyObject* bind_dispatch(Dispatcher* dispatcher, PyObject* mode) {
  PyObject* address = PyLong_FromVoidPtr(dispatcher);
  if (address == nullptr) return nullptr;
  const int set = PyObject_SetAttrString(mode, kAttribute, address);
  Py_DECREF(address);
  return set != 0 ? nullptr : PyCFunction_New(&g_dispatch, mode);
}

}  // namespace samebits::python::exact_arithmetic
