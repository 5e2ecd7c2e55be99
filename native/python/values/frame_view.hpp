// Reading the variables of a running frame without leaving a mark.
//
// `frame.f_locals` will not do before Python 3.13: it refreshes a dictionary that the program itself
// may hold (from `locals()`), keeps what is in it alive, and a Python trace function writes it back.
// So variables are read where the interpreter keeps them. The layouts of 3.11 and 3.12 are fixed for
// their series; they are declared here because their headers are internal.
#pragma once

#include <Python.h>
#include <frameobject.h>

#include <cstdint>

namespace samebits::python {

enum class Scope : uint8_t {
  kLocal = 0,   // a variable of the function, its own or a cell
  kName = 1,    // of a module, a class body or executed text: its namespace, then the globals
  kGlobal = 2,  // of the module
};

class FrameView {
 public:
  explicit FrameView(PyFrameObject* frame) : frame_(frame) {}

  // A new reference to a variable's value, null when it has none; no exception is left.
  // `index` is its place among the frame's variables, `name` its interned name.
  PyObject* variable(Scope scope, int index, PyObject* name) const;

 private:
  PyObject* local(int index, PyObject* name) const;
  PyObject* global(PyObject* name) const;
  PyObject* in_namespace(PyObject* name) const;

  PyFrameObject* frame_;
};

// Offset in bytes of the instruction that a frame is at; negative before its first.
inline int instruction_offset(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return frame->f_lasti < 0 ? -1 : frame->f_lasti * 2;
#endif
}

}  // namespace samebits::python
