// From the running Python frames to the user's own source line.
//
// A site is (file, line, function, module path). Its number is assigned when it is first seen and
// is the row number in sites.arrow. Code objects are classified once (user code or library) and
// lines are looked up once for each instruction, so that a lookup costs a short walk over frames.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "python/owned.hpp"
#include "record/rows.hpp"

namespace samebits::python {

class Sites {
 public:
  // kOwn: samebits watching, whose doings are no part of the run. kImport: Python's import machinery.
  // kPassedOver: samebits between the script and what it calls, as if it were not there.
  enum class Kind : uint8_t { kLibrary = 0, kUser = 1, kEngine = 2, kOwn = 3, kImport = 4, kPassedOver = 5 };

  struct Found {
    uint32_t site = record::kNoSite;
    bool below_engine = false;  // no user frame between here and the autograd engine
  };
  // Who is behind a call that a library may have made on the way.
  struct Caller {
    PyCodeObject* user = nullptr;     // the innermost user code; null where there is none
    int line = 0;
    // The library code that the user's line called, without its decorators; null: none.
    PyCodeObject* entered = nullptr;
    PyCodeObject* innermost = nullptr;
    PyCodeObject* outside = nullptr;  // what called the innermost
    PyCodeObject* imported = nullptr;  // the module that the user's line was importing; null: none
    PyCodeObject* naming = nullptr;  // what of tempfile was asked for a name; null: nothing
    bool own = false;                 // samebits itself, or an import looking for a file
  };
  struct Fresh {
    std::string file;
    int32_t line;
    std::string function;
    uint32_t module;
  };

  // `classify(filename, function) -> int` names the kind of a code object, in Python.
  void init(PyObject* classify) { classify_ = owned_.keep(classify); }
  void release() {
    classify_ = nullptr;
    codes_.clear();
    owned_.release();
  }
  // Sites are numbered from 0 again, and each is new once more.
  void restart() {
    sites_.clear();
    fresh_.clear();
    known_.clear();
  }
  bool ready() const { return classify_ != nullptr; }
  Found current(uint32_t module);
  // `below_own`: samebits' own frames on top are passed over, since it is they who ask.
  Caller caller(bool below_own = false);
  // Where the running code stands: one instruction of one code object (not owned). False without one.
  static bool position(PyCodeObject** code, int* offset);
  // "package.module" and "Class.function" of a code object that `caller` has met.
  const std::string& module_of(PyCodeObject* code) { return code_info(code).module; }
  static std::string function_of(PyCodeObject* code);
  static std::string file_of(PyCodeObject* code);
  // The user's line of a site that `current` has given.
  Caller line_of(uint32_t site) const;
  std::vector<Fresh> take_fresh();

 private:
  struct Code {
    Kind kind;
    std::unordered_map<int, int> lines;  // by instruction offset
    std::string module;                  // filled by `caller`
    bool named = false;
    bool is_module = false;  // the code of a module, not of a function
    bool is_naming = false;  // of tempfile, which makes names up
    bool is_nested = false;  // of a function within a function
  };
  struct Known {
    PyCodeObject* code;
    int line;
  };
  Code& code_info(PyCodeObject* code);
  static int line_in(Code& info, PyFrameObject* frame);
  uint32_t site_of(PyCodeObject* code, int line, uint32_t module);

  Owned owned_;
  PyObject* classify_ = nullptr;
  std::unordered_map<PyCodeObject*, Code> codes_;
  std::unordered_map<uint64_t, uint32_t> sites_;
  std::vector<Fresh> fresh_;
  std::vector<Known> known_;  // by site
};

}  // namespace samebits::python
