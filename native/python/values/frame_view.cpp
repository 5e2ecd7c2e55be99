#include "python/values/frame_view.hpp"

namespace samebits::python {
namespace {

#if PY_VERSION_HEX >= 0x030D0000
// Everything here is public from 3.13 on.
#elif PY_VERSION_HEX >= 0x030C0000
struct Interpreter {
  PyCodeObject* f_code;
  Interpreter* previous;
  PyObject* f_funcobj;
  PyObject* f_globals;
  PyObject* f_builtins;
  PyObject* f_locals;
  PyFrameObject* frame_obj;
  void* prev_instr;
  int stacktop;
  uint16_t return_offset;
  char owner;
  PyObject* localsplus[1];
};
#elif PY_VERSION_HEX >= 0x030B0000
struct Interpreter {
  PyFunctionObject* f_func;
  PyObject* f_globals;
  PyObject* f_builtins;
  PyObject* f_locals;
  PyCodeObject* f_code;
  PyFrameObject* frame_obj;
  Interpreter* previous;
  void* prev_instr;
  int stacktop;
  bool is_entry;
  char owner;
  PyObject* localsplus[1];
};
#endif

#if PY_VERSION_HEX < 0x030D0000 && PY_VERSION_HEX >= 0x030B0000
struct Frame {
  PyObject_HEAD
  PyFrameObject* f_back;
  Interpreter* f_frame;
};

Interpreter* interpreter(PyFrameObject* frame) {
  return reinterpret_cast<Frame*>(frame)->f_frame;
}
#endif

// In a namespace that is a plain dictionary, or was made from one; anything else would mean running
// the program's code.
PyObject* in_dictionary(PyObject* dictionary, PyObject* name) {
  if (dictionary == nullptr || !PyDict_Check(dictionary)) return nullptr;
  PyObject* value = PyDict_GetItemWithError(dictionary, name);
  if (value == nullptr) PyErr_Clear();
  return Py_XNewRef(value);
}

#if PY_VERSION_HEX < 0x030D0000
PyObject* content(PyObject* value) {
  if (value != nullptr && PyCell_Check(value)) value = PyCell_GET(value);
  return Py_XNewRef(value);
}
#endif

}  // namespace

PyObject* FrameView::variable(Scope scope, int index, PyObject* name) const {
  switch (scope) {
    case Scope::kLocal:
      return local(index, name);
    case Scope::kName: {
      PyObject* value = in_namespace(name);
      return value != nullptr ? value : global(name);
    }
    case Scope::kGlobal:
      return global(name);
  }
  return nullptr;
}

#if PY_VERSION_HEX >= 0x030D0000

PyObject* FrameView::local(int, PyObject* name) const {
  PyObject* value = PyFrame_GetVar(frame_, name);
  if (value == nullptr) PyErr_Clear();
  return value;
}

PyObject* FrameView::global(PyObject* name) const {
  PyObject* globals = PyFrame_GetGlobals(frame_);
  PyObject* value = in_dictionary(globals, name);
  Py_XDECREF(globals);
  return value;
}

PyObject* FrameView::in_namespace(PyObject* name) const {
  PyObject* names = PyFrame_GetLocals(frame_);
  if (names == nullptr) PyErr_Clear();
  PyObject* value = in_dictionary(names, name);
  Py_XDECREF(names);
  return value;
}

#elif PY_VERSION_HEX >= 0x030B0000

PyObject* FrameView::local(int index, PyObject*) const {
  Interpreter* own = interpreter(frame_);
  if (own == nullptr || index < 0 || index >= own->f_code->co_nlocalsplus) return nullptr;
  return content(own->localsplus[index]);
}

PyObject* FrameView::global(PyObject* name) const {
  return in_dictionary(interpreter(frame_)->f_globals, name);
}

PyObject* FrameView::in_namespace(PyObject* name) const {
  return in_dictionary(interpreter(frame_)->f_locals, name);
}

#else

PyObject* FrameView::local(int index, PyObject*) const {
  const PyCodeObject* code = frame_->f_code;
  const Py_ssize_t count = code->co_nlocals + PyTuple_GET_SIZE(code->co_cellvars) +
                           PyTuple_GET_SIZE(code->co_freevars);
  if (index < 0 || index >= count) return nullptr;
  return content(frame_->f_localsplus[index]);
}

PyObject* FrameView::global(PyObject* name) const {
  return in_dictionary(frame_->f_globals, name);
}

PyObject* FrameView::in_namespace(PyObject* name) const {
  return in_dictionary(frame_->f_locals, name);
}

#endif

}  // namespace samebits::python
