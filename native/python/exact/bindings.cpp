// samebits.arithmetic._exact: the exact kernels as Python calls them. Names, argument types, docstrings.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "exact/builds.hpp"
#include "exact/pool.hpp"
#include "exact/team_state.hpp"
#include "python/exact/dispatcher.hpp"
#include "python/exact/elementwise_call.hpp"
#include "python/exact/kernel_calls.hpp"
#include "python/exact/tensors.hpp"

namespace nb = nanobind;

namespace samebits::python::exact_arithmetic {
namespace {

nb::object result(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

// `dtypes` maps names to torch's dtypes, for those that kernels can read.
void attach(nb::handle tensor, nb::handle parameter, nb::handle tables, nb::handle kind_of_type,
            nb::handle dtypes, nb::handle empty_strided, nb::handle get_num_threads, nb::handle cpu, nb::handle strided) {
  if (!g_torch.access.init(tensor.ptr(), parameter.ptr(), tables.ptr(), kind_of_type.ptr())) throw nb::python_error();
  const std::pair<const char*, DType> known[] = {
      {"bool", DType::kBool},       {"uint8", DType::kUInt8},     {"int8", DType::kInt8},
      {"int16", DType::kInt16},     {"int32", DType::kInt32},     {"int64", DType::kInt64},
      {"float16", DType::kFloat16}, {"bfloat16", DType::kBFloat16}, {"float32", DType::kFloat32},
      {"float64", DType::kFloat64},
  };
  for (const auto& [name, dtype] : known) {
    g_torch.dtypes[static_cast<int>(dtype)] = Py_NewRef(nb::object(dtypes[name]).ptr());
    for (int code = 0; code < 256; ++code) {
      if (g_torch.access.dtype_name(static_cast<uint8_t>(code)) == name) g_torch.kinds[code] = dtype;
    }
  }
  g_torch.empty_strided = Py_NewRef(empty_strided.ptr());
  g_torch.get_num_threads = Py_NewRef(get_num_threads.ptr());
  g_torch.cpu = Py_NewRef(cpu.ptr());
  g_torch.strided = Py_NewRef(strided.ptr());
  g_torch.dtype_codes = Py_NewRef(nb::object(tables[0]).ptr());
  g_torch.dtype_type = Py_TYPE(g_torch.dtypes[static_cast<int>(DType::kFloat32)]);
  g_torch.tensor = Py_NewRef(tensor.ptr());
  g_torch.parameter = Py_NewRef(parameter.ptr());
  g_torch.dispatches_not = PyObject_GetAttrString(tensor.ptr(), "__torch_dispatch__");
  if (g_torch.dispatches_not == nullptr) throw nb::python_error();
  // Interned, as keyword names are compared by identity first.
  g_torch.empty_names = Py_BuildValue("(NN)", PyUnicode_InternFromString("dtype"), PyUnicode_InternFromString("device"));
  if (g_torch.empty_names == nullptr) throw nb::python_error();
  g_torch.ready = true;
}

nb::dict operation_numbers() {
  nb::dict numbers;
  int number = 0;
#define X(name, tensors, in_f64) numbers[#name] = number++;
  SAMEBITS_ELEMENTWISE(X)
#undef X
  return numbers;
}

}  // namespace

NB_MODULE(_exact, module) {
  // Dispatchers live until the process ends.
  nb::set_leak_warnings(false);
  module.doc() = "Arithmetic whose bits do not depend on the machine.";
  module.def("attach", attach, nb::arg("tensor"), nb::arg("parameter"), nb::arg("tables"),
             nb::arg("kind_of_type"), nb::arg("dtypes"), nb::arg("empty_strided"),
             nb::arg("get_num_threads"), nb::arg("cpu"), nb::arg("strided"),
             "Hands over torch's types and functions, once.");
  module.def("isa", [] { return std::string(exact::kernels().name); }, "The build of the kernels that runs.");
  module.def("set_isa", [](const std::string& name) { return exact::choose_build(name.c_str()); },
             nb::arg("name"), "Chooses a build; false where it cannot run.");
  module.def("make_team_plain", &exact::make_team_plain,
             "Keeps subnormals on this thread and those on which torch computes for it; returns their states.");
  module.def("restore_team", &exact::restore_team, nb::arg("states"), "Gives the threads their states back.");
  module.def("operation_numbers", operation_numbers, "Number of every element-wise operation, by name.");
  module.def(
      "elementwise",
      [](int operation, nb::handle out, nb::handle tensors, nb::handle scalars) {
        return result(elementwise(operation, out.ptr(), tensors.ptr(), scalars.ptr()));
      },
      nb::arg("operation"), nb::arg("out").none(), nb::arg("tensors"), nb::arg("scalars"),
      "Runs an element-wise operation; NotImplemented where the arguments are not plain enough.");
  add_convolution_calls(module);
  add_fourier_calls(module);
  add_linear_algebra_calls(module);
  add_loss_calls(module);
  add_norm_calls(module);
  add_optimizer_calls(module);
  add_pass_calls(module);
  add_placing_calls(module);
  add_product_calls(module);
  add_program_calls(module);
  add_random_calls(module);
  add_lstm_calls(module);
  add_recurrent_calls(module);
  add_reduction_calls(module);
  add_sampling_calls(module);
  add_scan_calls(module);
  add_window_calls(module);

  nb::class_<Dispatcher>(module, "Dispatcher", "Decides what becomes of every dispatched operation.")
      .def(
          "__init__",
          [](Dispatcher* self, nb::handle resolve, nb::handle at_gate, nb::handle after_refusal, nb::handle others) {
            new (self) Dispatcher(resolve.ptr(), at_gate.ptr(), after_refusal.ptr(), others.ptr());
          },
          nb::arg("resolve"), nb::arg("at_gate"), nb::arg("after_refusal"), nb::arg("others"))
      .def(
          "bind", [](Dispatcher& self, nb::handle mode) { return result(bind_dispatch(&self, mode.ptr())); },
          nb::arg("mode"), "The __torch_dispatch__ of `mode`, which this dispatcher must outlive.")
      .def(
          "call",
          [](Dispatcher& self, nb::handle operation, nb::handle args, nb::handle kwargs) {
            return result(self.dispatch(operation.ptr(), args.ptr(), kwargs.ptr()));
          },
          nb::arg("operation"), nb::arg("args"), nb::arg("kwargs").none(),
          "What an operation gives inside the block, for who has it in hand; no dispatch mode may be active.")
      .def("release", &Dispatcher::release, "Forgets what was resolved.");
}

}  // namespace samebits::python::exact_arithmetic
