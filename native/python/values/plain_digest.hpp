// A digest of what a variable holds: of plain data, in its order, by C calls alone.
//
// Nothing of the program runs: no __repr__, __eq__, __hash__, __len__, property or __getattr__. No
// address enters a digest; sets are digested as if they had no order; what is no plain data counts by
// its type. docs/how-it-works/values.md lists what is seen of which type.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_map>

#include "python/owned.hpp"
#include "python/recorder.hpp"
#include "python/stored_attributes.hpp"

namespace samebits::python {

// What kind of value it was; part of the format (samebits.check.trace.values.Kind).
enum class ValueKind : uint8_t {
  kUnbound = 0,
  kNone = 1,
  kBool = 2,
  kInt = 3,
  kFloat = 4,
  kComplex = 5,
  kStr = 6,
  kBytes = 7,
  kList = 8,
  kTuple = 9,
  kDict = 10,
  kSet = 11,
  kArray = 12,
  kTensor = 13,
  kObject = 14,
  kFunction = 15,
  kType = 16,
  kModule = 17,
  kPlain = 18,
  kOpaque = 19,
  kUnwritten = 20,
  kAddressText = 21,  // a string such as "<Net object at 0x7f…>", or a list, a tuple or values of a dict of such
};

// How much of a value is looked at.
struct Reach {
  int64_t nodes;  // numbers, strings and containers
  int64_t bytes;  // of strings and arrays
  int objects;    // attributes of objects within objects
};

class PlainDigest {
 public:
  // `kind_of_module(name) -> int`: 0 its objects are opaque, 1 their attributes are looked at, 2 ask
  // `known`. `known(object)` gives something plain that stands for the object, or None.
  void init(Recorder* recorder, PyObject* kind_of_module, PyObject* known);

  struct Result {
    uint64_t hash;
    ValueKind kind;
  };
  Result of(PyObject* value, const Reach& extent);

 private:
  struct Budget {
    int64_t nodes;
    int64_t bytes;
    int objects;
    int depth;
  };
  enum class Module : uint8_t { kOpaque = 0, kOwn = 1, kKnown = 2 };

  Result walk(PyObject* value, Budget& budget);
  bool scalar(PyObject* value, Budget& budget, Result* result);
  bool container(PyObject* value, Budget& budget, Result* result);
  bool named(PyObject* value, Result* result);
  // `addresses` is set where an element is a text that holds an address, or holds such texts.
  uint64_t sequence(PyObject* value, Budget& budget, bool* addresses);
  uint64_t dictionary(PyObject* value, Budget& budget, bool* addresses);
  uint64_t set(PyObject* value, Budget& budget);
  uint64_t string(PyObject* value, Budget& budget);
  uint64_t text(const void* bytes, size_t size, Budget& budget);
  bool buffer(PyObject* value, Budget& budget, uint64_t* hash);
  Result tensor(PyObject* value, Budget& budget);
  Result object(PyObject* value, Budget& budget);
  uint64_t attributes(PyObject* value, Budget& budget);
  uint64_t memory(const void* data, int32_t itemsize, int ndim, const int64_t* shape,
                  const int64_t* strides, bool contiguous, Budget& budget);
  Module module_of(PyTypeObject* type);

  Recorder* recorder_ = nullptr;
  PyObject* kind_of_module_ = nullptr;
  PyObject* known_ = nullptr;
  Owned owned_;
  std::unordered_map<std::string, Module> modules_;
};

}  // namespace samebits::python
