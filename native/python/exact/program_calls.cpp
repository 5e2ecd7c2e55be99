// Programs of compiled graphs, as Python makes and calls them.
#include <nanobind/nanobind.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "exact/program.hpp"
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"
#include "python/exact/tensors.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

using exact::kMaxDims;
using exact::Operand;
using exact::Place;
using exact::ProgramStep;
using exact::StepKind;

DType dtype_of(nb::handle dtype) {
  for (int i = 1; i < 16; ++i) {
    if (g_torch.dtypes[i] == dtype.ptr()) return static_cast<DType>(i);
  }
  refuse("a dtype");
}

// (buffer, byte, dtype, shape, strides), or None
Place place_of(nb::handle given) {
  Place place;
  if (given.is_none()) return place;
  const auto parts = nb::cast<nb::tuple>(given);
  place.buffer = nb::cast<int>(parts[0]);
  place.byte = nb::cast<int64_t>(parts[1]);
  place.dtype = dtype_of(parts[2]);
  const auto shape = nb::cast<nb::tuple>(parts[3]);
  const auto strides = nb::cast<nb::tuple>(parts[4]);
  place.ndim = static_cast<int>(nb::len(shape));
  if (place.ndim > kMaxDims || nb::len(strides) != nb::len(shape)) refuse("a place");
  for (int d = 0; d < place.ndim; ++d) {
    place.shape[d] = nb::cast<int64_t>(shape[d]);
    place.strides[d] = nb::cast<int64_t>(strides[d]);
  }
  return place;
}

Operand operand_of(const Place& place, int ndim, const int64_t* shape) {
  if (place.ndim != ndim) refuse("an operand of a chain");
  Operand operand{};
  operand.dtype = place.dtype;
  for (int d = 0; d < ndim; ++d) {
    if (place.shape[d] != shape[d]) refuse("an operand of a chain");
    operand.strides[d] = place.strides[d];
  }
  return operand;
}

// (in binary64, shape, operands, results, operations, registers); an operation is (number, operands,
// numbers, register, dtype, result or -1)
void fill_chain(ProgramStep& step, const nb::tuple& given) {
  auto& chain = step.chain;
  chain.in_f64 = nb::cast<bool>(given[1]);
  const auto shape = nb::cast<nb::tuple>(given[2]);
  chain.ndim = static_cast<int>(nb::len(shape));
  if (chain.ndim > kMaxDims) refuse("a chain");
  for (int d = 0; d < chain.ndim; ++d) chain.shape[d] = nb::cast<int64_t>(shape[d]);
  for (nb::handle one : nb::cast<nb::list>(given[3])) {
    step.places.push_back(place_of(one));
    chain.ins.push_back(operand_of(step.places.back(), chain.ndim, chain.shape));
  }
  for (nb::handle one : nb::cast<nb::list>(given[4])) {
    step.places.push_back(place_of(one));
    chain.outs.push_back(operand_of(step.places.back(), chain.ndim, chain.shape));
  }
  chain.registers = nb::cast<int>(given[6]);
  if (chain.registers > exact::kMaxRegisters || chain.ins.size() > 64 || chain.outs.empty()) refuse("a chain");
  for (nb::handle item : nb::cast<nb::list>(given[5])) {
    const auto one = nb::cast<nb::tuple>(item);
    exact::ChainOperation operation{};
    operation.operation = static_cast<exact::Elementwise>(nb::cast<int>(one[0]));
    const auto in = nb::cast<nb::tuple>(one[1]);
    operation.inputs = static_cast<int>(nb::len(in));
    const auto numbers = nb::cast<nb::tuple>(one[2]);
    if (operation.inputs < 1 || operation.inputs > 3 || nb::len(numbers) > 4) refuse("an operation of a chain");
    for (int i = 0; i < operation.inputs; ++i) {
      operation.in[i] = nb::cast<int>(in[i]);
      if (operation.in[i] >= static_cast<int>(chain.ins.size()) || operation.in[i] < -chain.registers) refuse("a chain");
    }
    for (size_t i = 0; i < nb::len(numbers); ++i) operation.scalars[i] = nb::cast<double>(numbers[i]);
    operation.result = nb::cast<int>(one[3]);
    operation.dtype = dtype_of(one[4]);
    operation.out = nb::cast<int>(one[5]);
    if (operation.result < 0 || operation.result >= chain.registers || operation.out >= static_cast<int>(chain.outs.size())) refuse("a chain");
    chain.operations.push_back(operation);
  }
  if (!has_loops(chain)) refuse("a chain has an operation without a loop");
}

ProgramStep step_of(nb::handle item) {
  const auto given = nb::cast<nb::tuple>(item);
  ProgramStep step;
  step.kind = static_cast<StepKind>(nb::cast<int>(given[0]));
  if (step.kind == StepKind::kChain) {
    fill_chain(step, given);
    return step;
  }
  for (nb::handle one : nb::cast<nb::list>(given[1])) step.places.push_back(place_of(one));
  if (step.places.size() < 2) refuse("a step");
  const auto numbers = nb::cast<nb::tuple>(given[2]);
  if (step.kind == StepKind::kSum) {
    long* const fields[] = {&step.before, &step.count, &step.after};
    for (int i = 0; i < 3; ++i) *fields[i] = nb::cast<long>(numbers[i]);
  }
  return step;
}

struct Wanted {
  Place place;
  bool row_major;
};

class Program {
 public:
  Program(nb::list inputs, nb::list outputs, int64_t arena, nb::list steps) : arena_(arena) {
    for (nb::handle one : inputs) inputs_.push_back(place_of(one));
    for (nb::handle one : outputs) {
      Wanted wanted{place_of(one), true};
      int64_t expected = 1;
      for (int d = wanted.place.ndim - 1; d >= 0; --d) {
        if (wanted.place.shape[d] != 1) wanted.row_major &= wanted.place.strides[d] == expected;
        expected *= wanted.place.shape[d];
      }
      outputs_.push_back(wanted);
    }
    for (nb::handle one : steps) steps_.push_back(step_of(one));
    for (const ProgramStep& step : steps_) {
      for (const Place& place : step.places) {
        double size = 1;
        for (int d = 0; d < place.ndim; ++d) size *= static_cast<double>(place.shape[d]);
        work_ += size;
        if (place.buffer >= static_cast<int>(inputs_.size() + outputs_.size() + 1)) refuse("a buffer");
      }
    }
  }

  // The results for these inputs; None where one is not laid out as it was foreseen.
  nb::object run(nb::list given) {
    if (nb::len(given) != inputs_.size()) refuse("inputs of a program");
    std::vector<char*> buffers;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      View view;
      if (!view_of(nb::handle(given[i]).ptr(), &view) || !fits(view, inputs_[i])) return nb::none();
      buffers.push_back(static_cast<char*>(view.data));
    }
    nb::list results;
    for (const Wanted& one : outputs_) {
      PyObject* tensor = new_tensor(one.place.dtype, one.place.ndim, one.place.shape, one.row_major ? nullptr : one.place.strides);
      if (tensor == nullptr) throw nb::python_error();
      results.append(nb::steal(tensor));
      View view;
      if (!view_of(tensor, &view)) refuse("a result of a program");
      buffers.push_back(static_cast<char*>(view.data));
    }
    // A call in another thread, or within this one, has memory and steps of its own.
    std::vector<ProgramStep> own;
    const bool alone = !running_;
    if (!alone) own = steps_;
    char* memory = alone && arena_ <= kKept ? kept() : allocated();
    buffers.push_back(memory);
    if (alone) running_ = true;
    const int threads = work_ < 30000 ? 1 : thread_count();
    bool done = false;
    auto& steps = alone ? steps_ : own;
    if (work_ < 30000) {
      done = run_steps(steps, buffers.data(), 1);
    } else {
      nb::gil_scoped_release released;
      done = run_steps(steps, buffers.data(), threads);
    }
    if (alone) running_ = false;
    if (memory != kept_) std::free(memory);
    if (!done) no_memory();
    return results;
  }

  ~Program() { std::free(kept_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

 private:
  static constexpr int64_t kKept = 1 << 20;  // bytes that a program keeps between calls

  static bool fits(const View& view, const Place& place) {
    if (view.dtype != place.dtype || view.ndim != place.ndim) return false;
    for (int d = 0; d < view.ndim; ++d) {
      if (view.shape[d] != place.shape[d]) return false;
      if (view.shape[d] > 1 && view.strides[d] != place.strides[d]) return false;
    }
    return true;
  }
  char* allocated() const {
    char* memory = static_cast<char*>(std::aligned_alloc(64, static_cast<size_t>((arena_ + 127) / 64 * 64)));
    if (memory == nullptr) no_memory();
    return memory;
  }
  char* kept() {
    if (kept_ == nullptr) kept_ = allocated();
    return kept_;
  }

  std::vector<Place> inputs_;
  std::vector<Wanted> outputs_;
  std::vector<ProgramStep> steps_;
  int64_t arena_;
  double work_ = 0;
  bool running_ = false;
  char* kept_ = nullptr;
};

}  // namespace

void add_program_calls(nb::module_& module) {
  nb::class_<Program>(module, "Program", "What a compiled graph computes by kernels, made once.")
      .def(nb::init<nb::list, nb::list, int64_t, nb::list>(), nb::arg("inputs"), nb::arg("outputs"), nb::arg("arena"),
           nb::arg("steps"))
      .def("run", &Program::run, nb::arg("inputs"), "The results, new tensors; None where inputs lie otherwise than foreseen.");
}

}  // namespace samebits::python::exact_arithmetic
