// The recorder as Python sees it: samebits.core._native.Recorder, used by samebits.record alone.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <iterator>
#include <unordered_map>

#include "fingerprint/fingerprint.hpp"
#include "python/recorder.hpp"
#include "python/call_hook.hpp"
#include "record/freed_memory.hpp"

namespace nb = nanobind;

namespace samebits::python {
namespace {

// Whose mode is which. A mode that another thread has inherited, as autograd's do, is still found.
struct Bound {
  Recorder* recorder;
  bool later;  // the thread's own recorder is made at its first operation
};
std::unordered_map<PyObject*, Bound> g_modes;

Recorder* recorder_of(PyObject* mode) {
  const auto found = g_modes.find(mode);
  if (found == g_modes.end()) return nullptr;  // the recording has ended inside a mode of the script's own
  const Bound bound = found->second;
  if (!bound.later) return bound.recorder;
  Recorder* recorder = bound.recorder->in_this_thread();
  if (recorder == bound.recorder) return nullptr;
  g_modes[mode] = Bound{recorder, false};
  return recorder;
}

PyObject* torch_dispatch(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  // torch's own calling convention: (op, types, args, kwargs).
  if (count < 3) {
    PyErr_SetString(PyExc_TypeError, "__torch_dispatch__ takes an operation, types and arguments");
    return nullptr;
  }
  Recorder* recorder = recorder_of(self);
  if (recorder == nullptr) {
    PyObject* kwargs = count > 3 && args[3] != Py_None ? args[3] : nullptr;
    return PyObject_Call(args[0], args[2], kwargs);
  }
  return recorder->dispatch(args[0], args[1], args[2], count > 3 ? args[3] : nullptr);
}

void forget_modes(const Recorder* recorder) {
  for (auto it = g_modes.begin(); it != g_modes.end();) {
    it = it->second.recorder == recorder ? g_modes.erase(it) : std::next(it);
  }
}

PyMethodDef g_dispatch = {"__torch_dispatch__",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(torch_dispatch)),
                          METH_FASTCALL, nullptr};

template <typename T>
nb::bytes column(const T* values, size_t count) {
  return nb::bytes(reinterpret_cast<const char*>(values), count * sizeof(T));
}

nb::dict take_rows(Recorder& self) {
  const auto& rows = self.rows;
  const size_t n = rows.size();
  nb::dict result;
  result["step"] = column(rows.step, n);
  result["phase"] = column(rows.phase, n);
  result["op"] = column(rows.op, n);
  result["signature"] = column(rows.signature, n);
  result["site"] = column(rows.site, n);
  result["outputs"] = column(rows.outputs, n);
  result["inputs"] = column(rows.inputs, n);
  result["args"] = column(rows.args, n);
  result["data"] = column(rows.data, n);
  result["flags"] = column(rows.flags, n);
  self.rows.clear();
  return result;
}

// The columns of received.arrow, and (row, what on_device returned) of those that a device computes.
nb::tuple take_received(Recorder& self) {
  auto& rows = self.received;
  const size_t n = rows.size();
  nb::dict columns;
  columns["row"] = column(rows.row.data(), n);
  columns["looked"] = column(rows.looked.data(), n);
  columns["group"] = column(rows.group.data(), n);
  columns["sequence"] = column(rows.sequence.data(), n);
  columns["place"] = column(rows.place.data(), n);
  columns["digest"] = column(rows.digest.data(), n);
  nb::list elsewhere;
  for (auto& [row, object] : self.received_elsewhere) elsewhere.append(nb::make_tuple(row, nb::steal(object)));
  self.received_elsewhere.clear();
  rows.clear();
  return nb::make_tuple(columns, elsewhere);
}

nb::list take_sites(Recorder& self) {
  nb::list result;
  for (const auto& site : self.sites.take_fresh()) {
    result.append(nb::make_tuple(site.file, site.line, site.function, site.module));
  }
  return result;
}

nb::list take_signatures(Recorder& self) {
  nb::list result;
  for (const auto& text : self.fresh_signatures) result.append(text);
  self.fresh_signatures.clear();
  return result;
}

nb::list take_deferred(Recorder& self) {
  nb::list result;
  for (auto& item : self.deferred) {
    result.append(nb::make_tuple(item.row, item.is_data, nb::steal(item.object)));
  }
  self.deferred.clear();
  return result;
}

nb::list take_digests_elsewhere(Recorder& self) {
  nb::list result;
  for (auto& [field, object] : self.digests_elsewhere) {
    result.append(nb::make_tuple(static_cast<int>(field), nb::steal(object)));
  }
  self.digests_elsewhere.clear();
  return result;
}

// (rows, steps, done) of each turn; None where not all were kept.
nb::object turns(const Recorder& self) {
  if (self.turns.size() == Recorder::kMostTurns) return nb::none();
  nb::list result;
  for (const Recorder::Turn& turn : self.turns) result.append(nb::make_tuple(turn.rows, turn.steps, turn.done));
  return result;
}

// (batch, loss, outputs, loss value or None) since the last call. A batch that could not be read in full
// is none: nobody may take it for the same as another one.
nb::tuple take_step(Recorder& self) {
  nb::object value = self.has_loss_value ? nb::cast(self.loss_value) : nb::none();
  const uint64_t batch = self.is_batch_unread ? 0 : self.batch;
  nb::tuple result = nb::make_tuple(batch, self.loss, self.outputs, value);
  self.take_turn();
  self.batch = self.loss = self.outputs = 0;
  self.is_batch_unread = false;
  self.has_loss_value = false;
  return result;
}

}  // namespace

void add_recorder(nb::module_& module) {
  if (add_call_hook_type(module.ptr()) != 0) throw nb::python_error();

  nb::class_<Recorder>(module, "Recorder", "Watches the operations that torch dispatches.")
      .def(nb::init<>())
      .def(
          "attach",
          [](Recorder& self, nb::handle tensor, nb::handle parameter, nb::handle dtypes,
             nb::handle kind_of_type, nb::handle classify, nb::handle describe, nb::handle name_module, nb::handle unusual,
             nb::handle on_device, nb::handle flush, nb::handle captured, nb::handle replay,
             nb::handle given, nb::handle gave, nb::handle stop, nb::handle failed, nb::handle collective,
             nb::handle sequence_number, nb::handle current_node) {
            const Recorder::Callbacks callbacks{describe.ptr(), name_module.ptr(), unusual.ptr(),
                                                on_device.ptr(), flush.ptr(), captured.ptr(), replay.ptr(),
                                                given.ptr(), gave.ptr(), stop.ptr(), failed.ptr(), collective.ptr()};
            if (!self.init(tensor.ptr(), parameter.ptr(), dtypes.ptr(), kind_of_type.ptr(), classify.ptr(), callbacks,
                           sequence_number.ptr(), current_node.ptr())) {
              throw nb::python_error();
            }
          },
          nb::arg("tensor"), nb::arg("parameter"), nb::arg("dtypes"),
          nb::arg("kind_of_type"), nb::arg("classify"),
          nb::arg("describe"), nb::arg("name_module"), nb::arg("unusual"), nb::arg("on_device"),
          nb::arg("flush"), nb::arg("captured"), nb::arg("replay"), nb::arg("given"), nb::arg("gave"), nb::arg("stop"),
          nb::arg("failed"), nb::arg("collective"),
          nb::arg("sequence_number"),
          nb::arg("current_node"), "Hands over torch's types and the Python side's callbacks.")
      .def(
          "classify", [](Recorder& self, nb::handle classify) { self.sites.init(classify.ptr()); },
          nb::arg("classify"), "Says early, before `attach`, who tells the user's code from others'.")
      .def(
          "bind",
          [](Recorder& self, nb::handle mode, bool later) {
            g_modes[mode.ptr()] = Bound{&self, later};
            return nb::steal(PyCFunction_New(&g_dispatch, mode.ptr()));
          },
          nb::arg("mode"), nb::arg("later") = false,
          "The __torch_dispatch__ of `mode`, which must outlive it; with `later` that of a thread which has no "
          "recorder yet.")
      .def(
          "unbind", [](Recorder&, nb::handle mode) { g_modes.erase(mode.ptr()); }, nb::arg("mode"),
          "Forgets a mode that was left.")
      .def("stand_beside", &Recorder::stand_beside, nb::arg("main"), nb::keep_alive<1, 2>(),
           "Makes this the recorder of another thread of the process that `main` records.")
      .def(
          "begin_thread", [](Recorder& self, nb::handle first) { self.begin_thread(first.ptr()); }, nb::arg("first"),
          "Calls `first` at the first sign of torch on this thread.")
      .def("adopt_thread", &Recorder::adopt_thread, "Makes this the recorder of the calling thread.")
      .def_static("end_thread", &Recorder::end_thread, "The calling thread has no recorder from here on.")
      .def(
          "call_hook",
          [](Recorder& self, int kind, nb::handle wrapped, nb::handle after) {
            PyObject* hook = make_call_hook(&self, nb::find(self).ptr(), static_cast<CallHookKind>(kind), wrapped.ptr(),
                                     after.is_none() ? nullptr : after.ptr());
            if (hook == nullptr) throw nb::python_error();
            return nb::steal(hook);
          },
          nb::arg("kind"), nb::arg("wrapped"), nb::arg("after").none() = nb::none(),
          "A replacement for `wrapped` that tells this recorder of each call.")
      .def(
          "hook_inside",
          [](Recorder& self, int kind, nb::handle function, nb::handle after) {
            return hook_inside(&self, nb::find(self).ptr(), static_cast<CallHookKind>(kind), function.ptr(),
                              after.is_none() ? nullptr : after.ptr());
          },
          nb::arg("kind"), nb::arg("function"), nb::arg("after").none() = nb::none(),
          "Puts a hook into a function of Python's, which stays the object that it is; false for anything else.")
      .def(
          "unhook_inside", [](Recorder&, nb::handle function) { unhook_inside(function.ptr()); }, nb::arg("function"),
          "Takes it out again.")
      .def(
          "release",
          [](Recorder& self) {
            forget_modes(&self);
            self.release();
          },
          "Lets go of callbacks and tables; nothing is recorded after it.")
      .def("restart", &Recorder::restart, "In a forked child: begins anew, on this thread.")
      .def(
          "count_in", [](Recorder& self, uint64_t address) { self.count_in(reinterpret_cast<uint64_t*>(address)); },
          nb::arg("address"), "Counts rows at this address as well, eight bytes that outlive the recorder; 0 ends it.")
      .def(
          "digest",
          [](Recorder& self, nb::handle object) {
            return self.digest(object.ptr(), Recorder::Field::kOther);
          },
          nb::arg("tree"), "Fingerprint of tensors and numbers in lists, tuples and dicts.")
      .def(
          "leave_out",
          [](Recorder& self, nb::handle code) { self.leave_out(code.ptr()); },
          nb::arg("code"), "Records no seed that this code makes for a loader's workers.")
      .def(
          "current_site", [](Recorder& self) { return self.sites.current(0).site; },
          "Number of the site of the innermost user line that is running.")
      .def("take_rows", take_rows, "The buffered rows as bytes a column; empties the buffer.")
      .def("take_received", take_received, "Looks at results of collectives: columns, and digests that are still computed.")
      .def("end_synchronous", &Recorder::end_synchronous,
           "The collective that this thread began last was waited for: notes what it has left on all ranks.")
      .def("take_sites", take_sites, "New sites: (file, line, function, module path number).")
      .def("take_signatures", take_signatures, "New signatures, in the order of their numbers.")
      .def("take_deferred", take_deferred, "(row, is data, what on_device returned).")
      .def("take_digests_elsewhere", take_digests_elsewhere, "(field, what on_device returned).")
      .def("take_step", take_step, "(batch, loss, outputs, loss value) since the last call.")
      .def("forget_modules", &Recorder::forget_modules, "Drops the module paths known so far.")
      .def_prop_ro("turns", turns, "(own rows, own steps, all that was done) where this thread went on after others.")
      .def_prop_ro("buffered", [](const Recorder& self) { return self.rows.size(); })
      .def_prop_rw(
          "phase", [](const Recorder& self) { return static_cast<int>(self.phase); },
          [](Recorder& self, int phase) { self.phase = static_cast<Phase>(phase); })
      .def_rw("watching", &Recorder::watching)
      .def_rw("recording_ops", &Recorder::recording_ops)
      .def_rw("only_steps", &Recorder::only_steps)
      .def_rw("recording_modules", &Recorder::recording_modules)
      .def_rw("threads", &Recorder::threads)
      .def_rw("step", &Recorder::step)
      .def_rw("capture_row", &Recorder::capture_row)
      .def_rw("replay_row", &Recorder::replay_row)
      .def_rw("follow_from", &Recorder::follow_from)
      .def_rw("stop_row", &Recorder::stop_row)
      .def_ro("total_rows", &Recorder::total_rows);

  module.def(
      "digest_memory",
      [](uint64_t address, size_t size) {
        return fingerprint::sum_words(reinterpret_cast<const void*>(address), size, 0);
      },
      nb::arg("address"), nb::arg("size"), "A word sum over raw memory, for generator states.");
  module.def("keep_freed_memory", &record::keep_freed_memory,
             "Keeps freed memory for the next tensor, in the whole process; false where that cannot be set.");
  module.def("combine", &fingerprint::combine, nb::arg("running"), nb::arg("next"),
             "An ordered combination of two fingerprints.");
}

}  // namespace samebits::python
