// Slots of types (construction, iteration) and setters of properties, watched in the types' tables.
#include <array>
#include <utility>

#include "python/watched_call.hpp"

namespace samebits::python {
namespace {

constexpr int kSlots = 32;
constexpr int kSetters = 16;

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
std::array<TypeSlot, kSlots> g_slots;
std::array<Setter, kSetters> g_setters;
int g_slot_count = 0;
int g_setter_count = 0;

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

void unwatch_types() {
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
