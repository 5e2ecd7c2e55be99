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
  enum class Kind : uint8_t { kLibrary = 0, kUser = 1, kEngine = 2 };

  struct Found {
    uint32_t site = record::kNoSite;
    bool below_engine = false;  // no user frame between here and the autograd engine
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
    codes_.clear();
    owned_.release();
  }
  Found current(uint32_t module);
  std::vector<Fresh> take_fresh();

 private:
  struct Code {
    Kind kind;
    std::unordered_map<int, int> lines;  // by instruction offset
  };
  Code& code_info(PyCodeObject* code);
  uint32_t site_of(PyCodeObject* code, int line, uint32_t module);

  Owned owned_;
  PyObject* classify_ = nullptr;
  std::unordered_map<PyCodeObject*, Code> codes_;
  std::unordered_map<uint64_t, uint32_t> sites_;
  std::vector<Fresh> fresh_;
  uint32_t count_ = 0;
};

}  // namespace samebits::python
