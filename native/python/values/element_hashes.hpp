// What the order of a set goes by, read off its elements: where they lie, the hash seed, or neither.
//
// Nothing of the program runs: the type's own function of C tells it, and of a `__hash__` that is
// written in Python the attributes that it names.
#pragma once

#include <Python.h>

#include <cstdint>

namespace samebits::python {

// Flags, which add up where the elements are not all alike; part of the format
// (samebits.check.trace.values_format.Hashes).
enum ElementHash : uint8_t {
  kNoHash = 0,         // nothing to hash, or not looked at
  kByIdentity = 1,     // by the address: object.__hash__, functions, classes, torch's tensors
  kByHashSeed = 2,     // strings, bytes, dates, and what is made of them
  kByValue = 4,        // numbers, and what is made of them
  kByOwnFunction = 8,  // by a function that does not show it
  kNotOrdered = 16,    // `<` is not known to compare any two of them
};

// Of a container the hashes of its elements, of a dict those of its keys, of anything else its own.
// Of a list the first few elements count; of a set all or none, since which ones are the first may
// differ from run to run.
uint8_t element_hashes(PyObject* value, int64_t most);

}  // namespace samebits::python
