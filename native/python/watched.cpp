#include "python/watched.hpp"

#include <array>
#include <cstring>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

namespace samebits::python {
namespace {

constexpr int kFunctions = 320;
constexpr int kSlots = 32;
constexpr int kSetters = 16;

using Plain = PyCFunction;
using WithDict = PyCFunctionWithKeywords;
using Fast = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
using FastWithNames = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
using OfClass = PyObject* (*)(PyObject*, PyTypeObject*, PyObject* const*, size_t, PyObject*);

struct Function {
  PyMethodDef* definition = nullptr;
  PyCFunction original = nullptr;
  PyCFunction replacement = nullptr;
  int rule = 0;
};
struct TypeSlot {
  PyTypeObject* type = nullptr;
  Slot slot = Slot::kInit;
  void* original = nullptr;
  PyObject* descriptor = nullptr;  // its slot wrapper, through which super().__init__ goes
  int rule = 0;
};
struct Setter {
  PyGetSetDef* definition = nullptr;
  setter original = nullptr;
  int rule = 0;
};

// Never emptied: a call that is under way, or a subclass that has inherited a slot, still finds here
// what it stands for.
std::array<Function, kFunctions> g_functions;
std::array<TypeSlot, kSlots> g_slots;
std::array<Setter, kSetters> g_setters;
int g_function_count = 0;
int g_slot_count = 0;
int g_setter_count = 0;
Watcher* g_watcher = nullptr;

// One call under way.
class Watch {
 public:
  explicit Watch(int rule) : watcher_(g_watcher), rule_(rule) {
    if (watcher_ != nullptr) token_ = watcher_->enter(rule);
  }
  PyObject* done(const WatchedCall& call, PyObject* result) {
    // The watcher may have gone while the call went on.
    if (token_ >= 0 && watcher_ == g_watcher) watcher_->leave(rule_, token_, call, result);
    return result;
  }

 private:
  Watcher* watcher_;
  int rule_;
  int token_ = -1;
};

WatchedCall of_tuple(PyObject* self, PyObject* args, PyObject* keywords) {
  WatchedCall call;
  call.self = self;
  if (args != nullptr && PyTuple_Check(args)) {
    call.args = reinterpret_cast<PyTupleObject*>(args)->ob_item;
    call.count = PyTuple_GET_SIZE(args);
  }
  call.keywords = keywords;
  return call;
}

PyObject* run(const Function& function, PyObject* self, PyObject* argument) {
  Watch watch(function.rule);
  PyObject* result = function.original(self, argument);
  if ((function.definition->ml_flags & METH_VARARGS) != 0) return watch.done(of_tuple(self, argument, nullptr), result);
  WatchedCall call;
  call.self = self;
  call.args = &argument;
  call.count = argument != nullptr && (function.definition->ml_flags & METH_O) != 0 ? 1 : 0;
  return watch.done(call, result);
}

PyObject* run(const Function& function, PyObject* self, PyObject* args, PyObject* keywords) {
  Watch watch(function.rule);
  PyObject* result = reinterpret_cast<WithDict>(reinterpret_cast<void (*)()>(function.original))(self, args, keywords);
  return watch.done(of_tuple(self, args, keywords), result);
}

PyObject* run(const Function& function, PyObject* self, PyObject* const* args, Py_ssize_t count) {
  Watch watch(function.rule);
  PyObject* result = reinterpret_cast<Fast>(reinterpret_cast<void (*)()>(function.original))(self, args, count);
  return watch.done(WatchedCall{self, args, count, nullptr, nullptr}, result);
}

PyObject* run(const Function& function, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  Watch watch(function.rule);
  PyObject* result =
      reinterpret_cast<FastWithNames>(reinterpret_cast<void (*)()>(function.original))(self, args, count, names);
  return watch.done(WatchedCall{self, args, count, names, nullptr}, result);
}

PyObject* run(const Function& function, PyObject* self, PyTypeObject* type, PyObject* const* args, size_t flagged,
              PyObject* names) {
  Watch watch(function.rule);
  PyObject* result =
      reinterpret_cast<OfClass>(reinterpret_cast<void (*)()>(function.original))(self, type, args, flagged, names);
  return watch.done(WatchedCall{self, args, PyVectorcall_NARGS(flagged), names, nullptr}, result);
}

// One function of C for each place in the table: C has no closures, and the definition's code is
// given nothing that would say which definition it is.
template <int I>
struct Entry {
  static PyObject* plain(PyObject* self, PyObject* argument) { return run(g_functions[I], self, argument); }
  static PyObject* with_dict(PyObject* self, PyObject* args, PyObject* keywords) {
    return run(g_functions[I], self, args, keywords);
  }
  static PyObject* fast(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return run(g_functions[I], self, args, count);
  }
  static PyObject* fast_with_names(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    return run(g_functions[I], self, args, count, names);
  }
  static PyObject* of_class(PyObject* self, PyTypeObject* type, PyObject* const* args, size_t flagged,
                            PyObject* names) {
    return run(g_functions[I], self, type, args, flagged, names);
  }
};

struct Conventions {
  PyCFunction plain, with_dict, fast, fast_with_names, of_class;
};

template <typename F>
PyCFunction erased(F function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

template <size_t... I>
constexpr auto make_entries(std::index_sequence<I...>) {
  return std::array<Conventions (*)(), sizeof...(I)>{+[]() {
    using E = Entry<static_cast<int>(I)>;
    return Conventions{E::plain, erased(E::with_dict), erased(E::fast), erased(E::fast_with_names),
                       erased(E::of_class)};
  }...};
}
const auto g_entries = make_entries(std::make_index_sequence<kFunctions>{});

int run_init(const TypeSlot& place, PyObject* self, PyObject* args, PyObject* keywords) {
  Watch watch(place.rule);
  const int outcome = reinterpret_cast<initproc>(place.original)(self, args, keywords);
  watch.done(of_tuple(self, args, keywords), outcome == 0 ? Py_None : nullptr);
  return outcome;
}

PyObject* run_new(const TypeSlot& place, PyTypeObject* type, PyObject* args, PyObject* keywords) {
  Watch watch(place.rule);
  PyObject* result = reinterpret_cast<newfunc>(place.original)(type, args, keywords);
  return watch.done(of_tuple(result, args, keywords), result);
}

PyObject* run_next(const TypeSlot& place, PyObject* self) {
  Watch watch(place.rule);
  PyObject* result = reinterpret_cast<iternextfunc>(place.original)(self);
  return watch.done(of_tuple(self, nullptr, nullptr), result);
}

template <int I>
struct SlotEntry {
  static int init(PyObject* self, PyObject* args, PyObject* keywords) {
    return run_init(g_slots[I], self, args, keywords);
  }
  static PyObject* make(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return run_new(g_slots[I], type, args, keywords);
  }
  static PyObject* next(PyObject* self) { return run_next(g_slots[I], self); }
};

struct SlotCodes {
  initproc init;
  newfunc make;
  iternextfunc next;
};

template <size_t... I>
constexpr auto make_slot_entries(std::index_sequence<I...>) {
  return std::array<SlotCodes, sizeof...(I)>{
      SlotCodes{SlotEntry<static_cast<int>(I)>::init, SlotEntry<static_cast<int>(I)>::make,
                SlotEntry<static_cast<int>(I)>::next}...};
}
const auto g_slot_entries = make_slot_entries(std::make_index_sequence<kSlots>{});

template <int I>
int set_value(PyObject* self, PyObject* value, void* closure) {
  const Setter& place = g_setters[I];
  Watch watch(place.rule);
  const int outcome = place.original(self, value, closure);
  watch.done(WatchedCall{self, &value, 1, nullptr, nullptr}, outcome == 0 ? Py_None : nullptr);
  return outcome;
}

template <size_t... I>
constexpr auto make_setters(std::index_sequence<I...>) {
  return std::array<setter, sizeof...(I)>{set_value<static_cast<int>(I)>...};
}
const auto g_setter_entries = make_setters(std::make_index_sequence<kSetters>{});

// Writes a pointer where nobody promises that memory may be written: the kernel refuses what would
// end the process otherwise (a table that its module keeps read-only).
bool write_pointer(void* target, const void* value) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool written = write(ends[1], &value, sizeof value) == static_cast<ssize_t>(sizeof value) &&
                       read(ends[0], target, sizeof value) == static_cast<ssize_t>(sizeof value);
  close(ends[0]);
  close(ends[1]);
  return written;
}

// Cython's functions begin as Python's own functions of C do, unless they were built for the limited
// API; then another pointer stands there, to memory that belongs to no library.
PyMethodDef* cython_definition(PyObject* function) {
  PyTypeObject* type = Py_TYPE(function);
  if (std::strstr(type->tp_name, "cython_function_or_method") == nullptr) return nullptr;
  if (type->tp_basicsize < static_cast<Py_ssize_t>(sizeof(PyCFunctionObject))) return nullptr;
  PyMethodDef* definition = reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  Dl_info facts;
  if (definition == nullptr || dladdr(definition, &facts) == 0) return nullptr;
  if (definition->ml_name == nullptr || dladdr(definition->ml_name, &facts) == 0) return nullptr;
  return definition;
}

PyMethodDef* definition_of(PyObject* function) {
  if (PyMethod_Check(function)) return definition_of(PyMethod_GET_FUNCTION(function));
  if (PyCFunction_Check(function)) return reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  if (Py_TYPE(function) == &PyMethodDescr_Type || Py_TYPE(function) == &PyClassMethodDescr_Type) {
    return reinterpret_cast<PyMethodDescrObject*>(function)->d_method;
  }
  return cython_definition(function);
}

PyCFunction replacement_of(int number, int flags) {
  const Conventions codes = g_entries[static_cast<size_t>(number)]();
  switch (flags & (METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | METH_FASTCALL | METH_METHOD)) {
    case METH_NOARGS:
    case METH_O:
    case METH_VARARGS:
      return codes.plain;
    case METH_VARARGS | METH_KEYWORDS:
      return codes.with_dict;
    case METH_FASTCALL:
      return codes.fast;
    case METH_FASTCALL | METH_KEYWORDS:
      return codes.fast_with_names;
    case METH_METHOD | METH_FASTCALL | METH_KEYWORDS:
      return codes.of_class;
    default:
      return nullptr;
  }
}

void** slot_of(PyTypeObject* type, Slot slot) {
  switch (slot) {
    case Slot::kInit:
      return reinterpret_cast<void**>(&type->tp_init);
    case Slot::kNew:
      return reinterpret_cast<void**>(&type->tp_new);
    case Slot::kNext:
      return reinterpret_cast<void**>(&type->tp_iternext);
  }
  return nullptr;
}

void* slot_replacement(int number, Slot slot) {
  const SlotCodes& codes = g_slot_entries[static_cast<size_t>(number)];
  switch (slot) {
    case Slot::kInit:
      return reinterpret_cast<void*>(codes.init);
    case Slot::kNew:
      return reinterpret_cast<void*>(codes.make);
    case Slot::kNext:
      return reinterpret_cast<void*>(codes.next);
  }
  return nullptr;
}

// The slot wrapper in the type's own dict that leads to the same code.
PyObject* wrapper_of(PyTypeObject* type, Slot slot, void* code) {
  if (slot != Slot::kInit || type->tp_dict == nullptr) return nullptr;
  PyObject* found = PyDict_GetItemString(type->tp_dict, "__init__");
  if (found == nullptr || Py_TYPE(found) != &PyWrapperDescr_Type) return nullptr;
  return reinterpret_cast<PyWrapperDescrObject*>(found)->d_wrapped == code ? found : nullptr;
}

}  // namespace

PyObject* WatchedCall::argument(Py_ssize_t index, const char* name) const {
  if (index < count) return args[index];
  if (names != nullptr && PyTuple_Check(names)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
      PyObject* key = PyTuple_GET_ITEM(names, i);
      if (PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, name) == 0) return args[count + i];
    }
  }
  if (keywords != nullptr && PyDict_Check(keywords)) return PyDict_GetItemString(keywords, name);
  return nullptr;
}

void set_watcher(Watcher* watcher) { g_watcher = watcher; }
Watcher* watcher() { return g_watcher; }

bool watch_function(PyObject* function, int rule) {
  PyMethodDef* definition = definition_of(function);
  if (definition == nullptr) return false;
  int number = 0;
  while (number < g_function_count && g_functions[static_cast<size_t>(number)].definition != definition) ++number;
  if (number == kFunctions) return false;
  Function& place = g_functions[static_cast<size_t>(number)];
  const PyCFunction replacement = replacement_of(number, definition->ml_flags);
  if (replacement == nullptr) return false;
  if (definition->ml_meth == replacement) return true;  // watched already
  place = Function{definition, definition->ml_meth, replacement, rule};
  if (number < g_function_count) {  // it has been written before
    definition->ml_meth = replacement;
    return true;
  }
  ++g_function_count;
  return write_pointer(&definition->ml_meth, reinterpret_cast<const void*>(replacement));
}

bool watch_slot(PyTypeObject* type, Slot slot, int rule) {
  int number = 0;
  while (number < g_slot_count && (g_slots[static_cast<size_t>(number)].type != type ||
                                   g_slots[static_cast<size_t>(number)].slot != slot)) {
    ++number;
  }
  if (number == kSlots) return false;
  void** target = slot_of(type, slot);
  void* replacement = slot_replacement(number, slot);
  if (*target == nullptr) return false;
  if (*target == replacement) return true;
  TypeSlot& place = g_slots[static_cast<size_t>(number)];
  place = TypeSlot{type, slot, *target, wrapper_of(type, slot, *target), rule};
  if (number == g_slot_count) {
    ++g_slot_count;
    Py_INCREF(type);
  }
  if (!write_pointer(target, replacement)) return false;
  if (place.descriptor != nullptr) {
    reinterpret_cast<PyWrapperDescrObject*>(place.descriptor)->d_wrapped = replacement;
  }
  return true;
}

bool watch_setter(PyObject* property, int rule) {
  if (Py_TYPE(property) != &PyGetSetDescr_Type) return false;
  PyGetSetDef* definition = reinterpret_cast<PyGetSetDescrObject*>(property)->d_getset;
  int number = 0;
  while (number < g_setter_count && g_setters[static_cast<size_t>(number)].definition != definition) ++number;
  if (number == kSetters || definition->set == nullptr) return false;
  const setter replacement = g_setter_entries[static_cast<size_t>(number)];
  if (definition->set == replacement) return true;
  g_setters[static_cast<size_t>(number)] = Setter{definition, definition->set, rule};
  if (number == g_setter_count) ++g_setter_count;
  return write_pointer(&definition->set, reinterpret_cast<const void*>(replacement));
}

int rule_of(PyObject* function) {
  const PyMethodDef* definition = definition_of(function);
  for (int i = 0; definition != nullptr && i < g_function_count; ++i) {
    const Function& place = g_functions[static_cast<size_t>(i)];
    if (place.definition == definition && definition->ml_meth == place.replacement) return place.rule;
  }
  return -1;
}

void unwatch_all() {
  for (int i = 0; i < g_function_count; ++i) {
    const Function& place = g_functions[static_cast<size_t>(i)];
    // Somebody else may have put another function there since.
    if (place.definition->ml_meth == place.replacement) {
      place.definition->ml_meth = place.original;
    }
  }
  for (int i = 0; i < g_slot_count; ++i) {
    const TypeSlot& place = g_slots[static_cast<size_t>(i)];
    void** target = slot_of(place.type, place.slot);
    if (*target == slot_replacement(i, place.slot)) *target = place.original;
    if (place.descriptor != nullptr) {
      reinterpret_cast<PyWrapperDescrObject*>(place.descriptor)->d_wrapped = place.original;
    }
  }
  for (int i = 0; i < g_setter_count; ++i) {
    const Setter& place = g_setters[static_cast<size_t>(i)];
    if (place.definition->set == g_setter_entries[static_cast<size_t>(i)]) place.definition->set = place.original;
  }
}

}  // namespace samebits::python
