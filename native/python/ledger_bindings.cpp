// The ledger as Python sees it: samebits.core._native.Ledger, used by samebits.check.record.ledger alone.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "python/ledger.hpp"

namespace nb = nanobind;

namespace samebits::python {
namespace {

bool g_listening = false;

// An audit hook cannot be taken out again; without a ledger it looks no further.
int audit(const char* event, PyObject* args, void*) {
  auto* ledger = static_cast<Ledger*>(watcher());
  if (ledger != nullptr) ledger->heard(event, args);
  return 0;
}

}  // namespace

void add_ledger(nb::module_& module) {
  nb::class_<Ledger>(module, "Ledger", "Counts what a process draws and reads that may differ from run to run.")
      .def(
          "__init__",
          [](Ledger* self, nb::handle recorder) {
            new (self) Ledger(nb::cast<Recorder*>(recorder), recorder.ptr());
          },
          nb::arg("recorder"))
      .def(
          "start",
          [](Ledger& self, const std::string& path, uint32_t process) {
            if (!self.start(path, process)) return false;
            if (!g_listening) {
              if (PySys_AddAuditHook(audit, nullptr) != 0) throw nb::python_error();
              g_listening = true;
            }
            return true;
          },
          nb::arg("path"), nb::arg("process"),
          "Begins to count, in a file of that name, or in memory where it is empty; false when it cannot.")
      .def("stop", &Ledger::stop, "Puts everything back; the table stays readable.")
      .def(
          "drawn",
          [](Ledger& self) {
            nb::list found;
            for (const std::string& bytes : self.drawn) found.append(nb::bytes(bytes.data(), bytes.size()));
            return found;
          },
          "The first short strings of bytes that uuid4, token_hex and SystemRandom were given by the system.")
      .def("chosen", &Ledger::chosen, "The first words and whole numbers drawn by chance; none where there are many.")
      .def(
          "add_chosen",
          [](Ledger& self, nb::handle result) { self.add_chosen(result.ptr()); }, nb::arg("result"),
          "Notes what was drawn by chance: a word, a whole number, or a list of a few.")
      .def("is_duration", &Ledger::is_duration, nb::arg("seconds"),
           "Whether a number is, to the last bit, the time between two readings of a clock.")
      .def(
          "seeded", [](const Ledger& self, nb::handle generator) { return static_cast<int>(self.seeded_of(generator.ptr())); },
          nb::arg("generator"), "Whether a generator was seeded: 0 if nobody has, 1 if so, 2 where that is not known.")
      .def("is_reading", &Ledger::is_reading, nb::arg("number"),
           "Whether a number is what a clock was read to be, or the whole seconds of a date.")
      .def(
          "before_exit", [](Ledger& self, nb::handle action) { self.before_exit(action.ptr()); }, nb::arg("action"),
          "Has `action` called before the process, or a child of it, leaves by os._exit.")
      .def("continue_in", &Ledger::continue_in, nb::arg("path"), nb::arg("process"), nb::arg("worker"),
           "In a forked child: counts on in a file of its own.")
      .def(
          "rule",
          [](Ledger& self, int meaning, int source, const std::string& name) {
            return self.add_rule(static_cast<Meaning>(meaning), static_cast<Source>(source), name);
          },
          nb::arg("meaning"), nb::arg("source"), nb::arg("name"), "What calls of a function mean; the rule's number.")
      .def(
          "watch", [](Ledger&, nb::handle function, int rule) { return watch_function(function.ptr(), rule); },
          nb::arg("function"), nb::arg("rule"), "Watches a function of C; false when it cannot be watched.")
      .def(
          "watch_type",
          [](Ledger&, nb::handle type, int slot, int rule) {
            return PyType_Check(type.ptr()) &&
                   watch_slot(reinterpret_cast<PyTypeObject*>(type.ptr()), static_cast<Slot>(slot), rule);
          },
          nb::arg("kind"), nb::arg("slot"), nb::arg("rule"), "Watches a type's __init__ (0), __new__ (1) or __next__ (2).")
      .def(
          "watch_setter", [](Ledger&, nb::handle property, int rule) { return watch_setter(property.ptr(), rule); },
          nb::arg("found"), nb::arg("rule"), "Watches the setter of a property of C.")
      .def(
          "set_global",
          [](Ledger& self, nb::handle generator, int source) {
            self.set_global(generator.ptr(), static_cast<Source>(source));
          },
          nb::arg("generator"), nb::arg("source"), "Names a generator that everybody shares; it counts as unseeded.")
      .def(
          "note",
          [](Ledger& self, int source, int event, const std::string& detail, uint64_t digest, uint64_t amount,
             bool direct) {
            self.note(static_cast<Source>(source), static_cast<Event>(event), detail, digest, amount, direct);
          },
          nb::arg("source"), nb::arg("event"), nb::arg("detail"), nb::arg("digest") = 0, nb::arg("amount") = 0,
          nb::arg("direct") = false, "Counts what samebits learnt otherwise.")
      .def(
          "content",
          [](Ledger& self) {
            const std::string table = self.table().table_bytes();
            const std::string& texts = self.table().text_bytes();
            return nb::make_tuple(nb::bytes(table.data(), table.size()), nb::bytes(texts.data(), texts.size()));
          },
          "The table and its texts, as the files would hold them, of a ledger in memory.")
      .def_static("digest_text", &Ledger::digest_text, nb::arg("text"), "The digest of a text, as rows have it.")
      .def_prop_ro("counting", &Ledger::counting);
}

}  // namespace samebits::python
