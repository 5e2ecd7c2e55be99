#include "python/sites.hpp"

#include <frameobject.h>

#include "record/mix.hpp"

namespace samebits::python {
namespace {

std::string text_of(PyObject* unicode) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(unicode, &size);
  if (text == nullptr) {  // lone surrogates, as in an undecodable file name
    PyErr_Clear();
    PyObject* bytes = PyUnicode_AsEncodedString(unicode, "utf-8", "backslashreplace");
    if (bytes == nullptr) {
      PyErr_Clear();
      return "?";
    }
    std::string result(PyBytes_AsString(bytes), static_cast<size_t>(PyBytes_Size(bytes)));
    Py_DECREF(bytes);
    return result;
  }
  return std::string(text, static_cast<size_t>(size));
}

int offset_of(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return frame->f_lasti;
#endif
}

// The `__name__` of the module that a frame runs in.
std::string module_name(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  PyObject* globals = PyFrame_GetGlobals(frame);
#else
  PyObject* globals = Py_NewRef(frame->f_globals);
#endif
  PyObject* name = globals != nullptr && PyDict_Check(globals) ? PyDict_GetItemString(globals, "__name__") : nullptr;
  std::string result = name != nullptr && PyUnicode_Check(name) ? text_of(name) : "";
  Py_XDECREF(globals);
  return result;
}

}  // namespace

Sites::Code& Sites::code_info(PyCodeObject* code) {
  auto it = codes_.find(code);
  if (it != codes_.end()) return it->second;
  Kind kind = Kind::kLibrary;
  PyObject* answer = PyObject_CallFunctionObjArgs(classify_, code->co_filename, code->co_name, nullptr);
  if (answer != nullptr) {
    kind = static_cast<Kind>(PyLong_AsLong(answer));
    Py_DECREF(answer);
  }
  PyErr_Clear();
  owned_.keep(reinterpret_cast<PyObject*>(code));
  return codes_.emplace(code, Code{kind, {}, {}, false, false}).first->second;
}

int Sites::line_in(Code& info, PyFrameObject* frame) {
  auto [it, is_new] = info.lines.try_emplace(offset_of(frame), 0);
  if (is_new) it->second = PyFrame_GetLineNumber(frame);
  return it->second;
}

std::string Sites::function_of(PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030B0000
  return text_of(code->co_qualname);
#else
  return text_of(code->co_name);
#endif
}

std::string Sites::file_of(PyCodeObject* code) { return text_of(code->co_filename); }

bool Sites::position(PyCodeObject** code, int* offset) {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  if (frame == nullptr) return false;
  *code = PyFrame_GetCode(frame);
  *offset = offset_of(frame);
  Py_DECREF(*code);  // the frame has it
  Py_DECREF(frame);
  return true;
}

Sites::Caller Sites::line_of(uint32_t site) const {
  Caller found;
  if (site < known_.size()) {
    found.user = known_[site].code;
    found.line = known_[site].line;
  }
  return found;
}

Sites::Caller Sites::caller(bool below_own) {
  Caller found;
  int depth = 0;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (below_own && frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const bool own = code_info(code).kind == Kind::kOwn;
    Py_DECREF(code);
    if (!own) break;
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  while (frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    Code& info = code_info(code);  // keeps the code object alive
    Py_DECREF(code);
    if (info.kind == Kind::kPassedOver) {
      PyFrameObject* back = PyFrame_GetBack(frame);
      Py_DECREF(frame);
      frame = back;
      continue;
    }
    if (depth < 2) (depth == 0 ? found.innermost : found.outside) = code;
    if (info.kind == Kind::kUser) {
      found.user = code;
      found.line = line_in(info, frame);
      break;
    }
    if (info.kind == Kind::kOwn || (depth == 0 && info.kind == Kind::kImport)) {
      found.own = true;
      break;
    }
    if (info.kind != Kind::kImport) {
      if (!info.named) {
        info.module = module_name(frame);
        info.is_module = text_of(code->co_name) == "<module>";
        info.is_nested = (code->co_flags & CO_NESTED) != 0;
        info.is_naming = info.module == "tempfile";
        info.named = true;
      }
      // What a decorator has put around a function says nothing: the function that it calls does.
      if (!info.is_nested || found.entered == nullptr) found.entered = code;
      if (info.is_module) found.imported = code;
      if (info.is_naming) found.naming = code;
    }
    ++depth;
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  return found;
}

uint32_t Sites::site_of(PyCodeObject* code, int line, uint32_t module) {
  uint64_t key = record::chain(reinterpret_cast<uint64_t>(code), static_cast<uint64_t>(line));
  key = record::chain(key, module);
  auto [it, is_new] = sites_.try_emplace(key, static_cast<uint32_t>(known_.size()));
  if (is_new) {
    known_.push_back({code, line});
    fresh_.push_back({text_of(code->co_filename), line, text_of(code->co_name), module});
  }
  return it->second;
}

Sites::Found Sites::current(uint32_t module) {
  Found found;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    Code& info = code_info(code);
    if (info.kind == Kind::kUser) {
      found.site = site_of(code, line_in(info, frame), module);
      Py_DECREF(code);
      Py_DECREF(frame);
      return found;
    }
    if (info.kind == Kind::kEngine) found.below_engine = true;
    Py_DECREF(code);
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  return found;
}

std::vector<Sites::Fresh> Sites::take_fresh() {
  std::vector<Fresh> result;
  result.swap(fresh_);
  return result;
}

}  // namespace samebits::python
