// Seeding per sample: addresses of generator states in, states set.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "data/mersenne.hpp"
#include "python/bindings.hpp"

namespace nb = nanobind;

namespace samebits::python {
namespace {

template <typename Block>
Block* at(std::uintptr_t address) {
  return reinterpret_cast<Block*>(address);
}

data::Expanded& words_at(std::uintptr_t address) {
  if (address == 0) throw std::invalid_argument("the words need memory");
  return *at<data::Expanded>(address);
}

void set_generators(const nb::bytes& key, std::uintptr_t words, std::uintptr_t python,
                    std::uintptr_t numpy, std::uintptr_t torch) {
  data::Key halves;
  if (key.size() != sizeof(halves)) throw std::invalid_argument("a key has 16 bytes");
  std::memcpy(halves.data(), key.c_str(), sizeof(halves));
  data::set(halves, words_at(words), at<data::PythonBlock>(python), at<data::NumpyBlock>(numpy),
            at<data::TorchBlock>(torch));
}

int drawn_generators(std::uintptr_t words, std::uintptr_t python, std::uintptr_t numpy,
                     std::uintptr_t torch) {
  return data::drawn(words_at(words), at<data::PythonBlock>(python), at<data::NumpyBlock>(numpy),
                     at<data::TorchBlock>(torch));
}

}  // namespace

void add_data(nb::module_& module) {
  module.def("set_generators", &set_generators, nb::arg("key"), nb::arg("words"),
             nb::arg("python"), nb::arg("numpy"), nb::arg("torch"),
             "Expand a key of 16 bytes into 940 words of 64 bits, and set generators from them.\n\n"
             "All but the key are addresses: of the words (7520 bytes), of the memory of Python's\n"
             "and NumPy's Mersenne Twister, and of the bytes that torch calls a generator's state.\n"
             "Those that are 0 are left out.");
  module.def("drawn_generators", &drawn_generators, nb::arg("words"), nb::arg("python"),
             nb::arg("numpy"), nb::arg("torch"),
             "Which generators are not as set_generators left them: 1 Python's, 2 NumPy's, 4 "
             "torch's, summed.");
}

}  // namespace samebits::python
