// Words and numbers that nobody has seeded: a run's own name is made of them.
#include "python/ledger.hpp"

#include "python/ledger_values.hpp"

namespace samebits::python {
namespace {

constexpr Py_ssize_t kLongestWord = 24;
constexpr size_t kMostEntropies = 64;

bool is_number_of_numpy(PyObject* object) {
  const char* name = Py_TYPE(object)->tp_name;
  return starts_with(name, "numpy.int") || starts_with(name, "numpy.uint");
}

}  // namespace

bool Ledger::draws_by_chance(PyObject* generator) const {
  auto it = generators_.find(identity_of(generator));
  if (it == generators_.end()) return is_of_type(generator, "SystemRandom");
  if (it->second.behind != nullptr && it->second.behind != generator) {
    it = generators_.find(it->second.behind);
    if (it == generators_.end()) return false;
  }
  return it->second.seeded == Seeded::kNo || it->second.by_chance;
}

// Whether a seed is the entropy of a SeedSequence that nobody gave one, or a generator made of it.
bool Ledger::comes_by_chance(PyObject* seed) const {
  if (entropies_.empty() || is_none(seed)) return false;
  if (PyLong_Check(seed)) return entropies_.count(digest_of(seed)) != 0;
  const auto it = generators_.find(identity_of(seed));
  return it != generators_.end() && it->second.by_chance;
}

void Ledger::keep_entropy_of(PyObject* sequence) {
  if (entropies_.size() >= kMostEntropies) return;
  PyObject* entropy = PyObject_GetAttrString(sequence, "entropy");
  if (entropy == nullptr) {
    PyErr_Clear();
    return;
  }
  if (PyLong_CheckExact(entropy)) {
    entropies_.insert(digest_of(entropy));
    keep_bytes_of(entropy);
  }
  Py_DECREF(entropy);
}

// As the 16 bytes that the system gave.
void Ledger::keep_bytes_of(PyObject* entropy) {
  if (drawn.size() >= kMostNames) return;
  PyObject* bytes = PyObject_CallMethod(entropy, "to_bytes", "is", 16, "big");
  if (bytes == nullptr) {
    PyErr_Clear();  // of more of them, as a caller may ask for
    return;
  }
  drawn.emplace_back(PyBytes_AS_STRING(bytes), static_cast<size_t>(PyBytes_GET_SIZE(bytes)));
  Py_DECREF(bytes);
}

void Ledger::note_chosen(PyObject* generator, PyObject* result) {
  if (chooses() && !PyFloat_Check(result) && draws_by_chance(generator)) add_chosen(result);
}

void Ledger::add_chosen(PyObject* drawn) {
  if (!chooses()) return;
  if (!PyList_CheckExact(drawn) && !is_of_type(drawn, "numpy.ndarray")) {
    if (!add_word(drawn)) add_number(drawn);
    return;
  }
  const Py_ssize_t count = PySequence_Size(drawn);
  for (Py_ssize_t i = 0; i < count && count <= kMostAtOnce; ++i) {
    PyObject* one = PySequence_GetItem(drawn, i);
    if (one == nullptr) break;
    add_word(one);
    Py_DECREF(one);
  }
  PyErr_Clear();  // an array without dimensions
}

bool Ledger::add_word(PyObject* one) {
  if (!PyUnicode_Check(one)) return false;
  if (PyUnicode_GetLength(one) <= kLongestWord) chosen_.push_back(text_of(one));
  return true;
}

void Ledger::add_number(PyObject* one) {
  if (PyBool_Check(one) || (!PyLong_Check(one) && !is_number_of_numpy(one))) return;
  PyObject* whole = PyNumber_Index(one);
  PyObject* text = whole == nullptr ? nullptr : PyObject_Str(whole);
  if (text == nullptr) {
    PyErr_Clear();
  } else {
    chosen_.push_back(text_of(text));
  }
  Py_XDECREF(text);
  Py_XDECREF(whole);
}

std::vector<std::string> Ledger::chosen() const { return chooses() ? chosen_ : std::vector<std::string>{}; }

}  // namespace samebits::python
