// fingerprint: memory described by address, shape and strides in; numbers out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fingerprint/fingerprint.hpp"
#include "python/bindings.hpp"

namespace nb = nanobind;

namespace samebits::python {
namespace {

using Sizes = std::vector<int64_t>;

struct Request {
  uintptr_t address;
  int32_t itemsize;
  Sizes shape;
  std::optional<Sizes> strides;
  uint8_t dtype_code;

  // Checked here, since what follows reads memory.
  void check() const {
    if (itemsize < 1 || itemsize > 16 || (itemsize & (itemsize - 1)) != 0) {
      throw nb::value_error("itemsize must be 1, 2, 4, 8 or 16");
    }
    if (strides && strides->size() != shape.size()) {
      throw nb::value_error("shape and strides must have the same length");
    }
    for (int64_t size : shape) {
      if (size < 0) throw nb::value_error("a size must not be negative");
    }
    if (address == 0 && nbytes() != 0) throw nb::value_error("address 0 holds no data");
  }

  size_t nbytes() const {
    size_t count = static_cast<size_t>(itemsize);
    for (int64_t size : shape) count *= static_cast<size_t>(size);
    return count;
  }

  uint64_t fingerprint(int threads) const {
    const fingerprint::View view{reinterpret_cast<const void*>(address), itemsize,
                                 static_cast<int32_t>(shape.size()), shape.data(),
                                 strides ? strides->data() : nullptr};
    return fingerprint::of(view, dtype_code, threads);
  }
};

// Below this, giving up and retaking the interpreter lock costs more than it gains.
constexpr size_t release_minimum = size_t{64} << 10;

uint64_t fingerprint_view(uintptr_t address, int32_t itemsize, Sizes shape,
                          std::optional<Sizes> strides, uint8_t dtype_code, int threads) {
  const Request request{address, itemsize, std::move(shape), std::move(strides), dtype_code};
  request.check();
  if (request.nbytes() < release_minimum) return request.fingerprint(threads);
  nb::gil_scoped_release release;
  return request.fingerprint(threads);
}

std::vector<uint64_t> fingerprint_views(const nb::sequence& views, int threads) {
  std::vector<Request> requests;
  size_t nbytes = 0;
  for (nb::handle view : views) {
    const auto fields = nb::cast<nb::tuple>(view);
    if (fields.size() != 5) {
      throw nb::value_error("a view is (address, itemsize, shape, strides, dtype_code)");
    }
    requests.push_back({nb::cast<uintptr_t>(fields[0]), nb::cast<int32_t>(fields[1]),
                        nb::cast<Sizes>(fields[2]), nb::cast<std::optional<Sizes>>(fields[3]),
                        nb::cast<uint8_t>(fields[4])});
    requests.back().check();
    nbytes += requests.back().nbytes();
  }
  std::vector<uint64_t> results;
  results.reserve(requests.size());
  std::optional<nb::gil_scoped_release> release;
  if (nbytes >= release_minimum) release.emplace();
  for (const Request& request : requests) results.push_back(request.fingerprint(threads));
  return results;
}

uint64_t fingerprint_bytes(const nb::bytes& content, uint8_t dtype_code) {
  const auto size = static_cast<int64_t>(content.size());
  return fingerprint::of({content.data(), 1, 1, &size, nullptr}, dtype_code);
}

uint64_t sum_words(uintptr_t address, size_t nbytes, uint64_t first_block, int threads) {
  nb::gil_scoped_release release;
  const auto* data = reinterpret_cast<const void*>(address);
  if (threads > 1 && first_block == 0) return fingerprint::sum_words_parallel(data, nbytes, threads);
  return fingerprint::sum_words(data, nbytes, first_block);
}

uint64_t finalise(uint64_t sum, uint8_t dtype_code, const Sizes& shape) {
  return fingerprint::finalise(sum, dtype_code, static_cast<int32_t>(shape.size()), shape.data());
}

}  // namespace

void add_fingerprint(nb::module_& module) {
  module.def("fingerprint_view", &fingerprint_view, nb::arg("address"), nb::arg("itemsize"),
             nb::arg("shape"), nb::arg("strides").none(), nb::arg("dtype_code"),
             nb::arg("threads") = 1,
             "The fingerprint of memory; strides in elements, None for contiguous.\n\n"
             "The caller vouches for the address: it is read as described.");
  module.def("fingerprint_views", &fingerprint_views, nb::arg("views"), nb::arg("threads") = 1,
             "The fingerprints of several (address, itemsize, shape, strides, dtype_code).");
  module.def("fingerprint_bytes", &fingerprint_bytes, nb::arg("content"), nb::arg("dtype_code"),
             "The fingerprint of bytes as a 1-D array of bytes with a given code.");
  module.def("sum_words", &sum_words, nb::arg("address"), nb::arg("nbytes"),
             nb::arg("first_block") = 0, nb::arg("threads") = 1,
             "The word sum of contiguous memory.");
  module.def("finalise", &finalise, nb::arg("word_sum"), nb::arg("dtype_code"), nb::arg("shape"),
             "Ties a word sum to a dtype and a shape.");
  module.def("combine", &fingerprint::combine, nb::arg("running"), nb::arg("following"),
             "An ordered combination of two fingerprints.");
  module.def("isa", &fingerprint::isa, "The instruction set in use: avx512, avx2, neon or plain.");
  module.def(
      "set_isa", [](const std::string& name) { return fingerprint::set_isa(name.c_str()); },
      nb::arg("name"), "Chooses an instruction set; False when it cannot run here.");
}

}  // namespace samebits::python
