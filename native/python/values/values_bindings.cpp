// The tracer of values as Python sees it: samebits.core._native.ValueTracer, used by samebits.record.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/bindings.hpp"
#include "python/values/value_tracer.hpp"

namespace nb = nanobind;

namespace samebits::python {

void add_values(nb::module_& module) {
  nb::class_<ValueTracer>(module, "ValueTracer", "Digests the variables that the program's lines mention.")
      .def(nb::init<>())
      .def(
          "start",
          [](ValueTracer& self, Recorder& recorder, nb::handle describe, nb::handle kind_of_module,
             nb::handle known, nb::handle stopped, const std::string& events,
             const std::string& digests, uint64_t most_events) {
            return self.start(&recorder, describe.ptr(), kind_of_module.ptr(), known.ptr(),
                              stopped.ptr(), events, digests, most_events);
          },
          nb::keep_alive<1, 2>(), nb::arg("recorder"), nb::arg("describe"), nb::arg("kind_of_module"),
          nb::arg("known"), nb::arg("stopped"), nb::arg("events"), nb::arg("digests"),
          nb::arg("most_events"), "Traces this thread from here on; False when no file can be made.")
      .def("stop", &ValueTracer::stop, "Ends it and completes the files.")
      .def("follow_fork", &ValueTracer::follow_fork, nb::arg("events"), nb::arg("digests"),
           "In a forked child: goes on in files of its own.")
      .def("trace_this_thread", &ValueTracer::trace_this_thread, nb::arg("stream"),
           "Traces the calling thread as the stream of that number.")
      .def("pause", &ValueTracer::pause,
           "Follows nothing on the calling thread; False where that is so already.")
      .def("go_on", &ValueTracer::go_on, "Follows the calling thread again, after pause().")
      .def("reserve_places", &ValueTracer::reserve_places, nb::arg("count"),
           "The first of so many new numbers of places.")
      .def_prop_ro("running", &ValueTracer::running)
      .def_prop_ro("events", &ValueTracer::events);
}

}  // namespace samebits::python
