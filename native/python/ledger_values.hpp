// What the ledger's source files share: reading Python's plain values without running code of the
// script, and what is under way on a thread.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "record/mix.hpp"

namespace samebits::python {

using record::chain;
using record::chain_bytes;
using record::mix;

constexpr uint64_t kLedgerStart = 0x6C6564676572;  // where every digest of the ledger begins

// Of calls: what they are, and what inside of them is their own doing.
enum Family : uint32_t {
  kNoFamily = 0,
  kNumpyFamily = 1 << 0,
  kEntropyFamily = 1 << 1,
  kClockFamily = 1 << 2,
  kTorchFamily = 1 << 3,
};

// A thread's calls under way.
struct Underway {
  uint32_t covered = 0;      // families whose calls are another one's own doing
  bool busy = false;         // the ledger itself runs Python code
  uint64_t random_rows = 0;  // random operations recorded since `torch_rule` was entered
  int torch_rule = -1;       // the function of torch that they were asked of
};
extern thread_local Underway t_underway;

class Busy {
 public:
  Busy() { t_underway.busy = true; }
  ~Busy() { t_underway.busy = false; }
};

// Keeps an exception that is pending out of the way.
class Pending {
 public:
  Pending() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~Pending() {
    PyErr_Clear();
    PyErr_Restore(type_, value_, traceback_);
  }

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

inline bool is_none(PyObject* object) { return object == nullptr || object == Py_None; }

inline bool starts_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// By the name that a type of C has, such as "numpy.ndarray".
inline bool is_of_type(PyObject* object, const char* name) {
  return std::strcmp(Py_TYPE(object)->tp_name, name) == 0;
}

// The bytes of a str (undecodable ones as they were) or bytes object; else "".
std::string text_of(PyObject* object);

// Whole numbers of Python, and of NumPy, whose __index__ is no code of the script; modulo 2**64.
bool whole_number(PyObject* object, uint64_t* value);

// A digest of plain data; of anything else, of its type alone.
uint64_t digest_of(PyObject* object, int depth = 0);

// What a generator is known by: of torch's, which may have several Python objects, the generator
// behind them. Never dereferenced.
const void* identity_of(PyObject* generator);

// Whether a seed is this number, whole or cut to a usual range of seeds.
bool comes_from(uint64_t seed, int64_t number);

}  // namespace samebits::python
