// Seeding per sample: addresses of generator states in, states set.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "data/mersenne.hpp"
#include "python/bindings.hpp"

namespace nb = nanobind;

namespace samebits::python {
namespace {

template <typename Block>
Block* at(std::uintptr_t address) {
  return reinterpret_cast<Block*>(address);
}

data::Key halves(const nb::bytes& key) {
  data::Key found;
  if (key.size() != sizeof(found)) throw std::invalid_argument("a key has 16 bytes");
  std::memcpy(found.data(), key.c_str(), sizeof(found));
  return found;
}

void fill_torch_state(const nb::bytes& key, std::uintptr_t state) {
  data::set(halves(key), *at<data::TorchBlock>(state));
}

nb::bytes expand_key(const nb::bytes& key, const std::string& build) {
  const data::PhiloxBuild* chosen = build.empty() ? nullptr : data::philox_build(build.c_str());
  if (!build.empty() && chosen == nullptr) {
    throw std::invalid_argument("no build called " + build + " runs here");
  }
  const data::PhiloxFill fill = chosen == nullptr ? data::philox_fill : chosen->fill;
  unsigned char words[data::kAllBlocks * data::kBlock];
  fill(halves(key), 0, words, data::kAllBlocks);
  return nb::bytes(words, sizeof(words));
}

nb::tuple key_seeds(const nb::bytes& key) {
  const auto found = data::seeds(halves(key));
  return nb::make_tuple(found[0], found[1]);
}

// What three generators held at one moment.
struct Saved {
  data::PythonBlock python;
  nb::object gauss_next;
  data::NumpyBlock numpy;
  data::NumpyNormal normal;
  nb::object torch;
};

// The three generators of a process, whose memory is known: everything a sample needs in one call,
// because between two samples all code and data but the sample's own have left the caches.
class GlobalTwisters {
 public:
  GlobalTwisters(nb::object instance, std::uintptr_t python, nb::object bit_generator_of,
                 nb::object source, std::uintptr_t numpy, std::uintptr_t normal,
                 nb::object generator, nb::object state, std::uintptr_t torch)
      : instance_(std::move(instance)),
        bit_generator_of_(std::move(bit_generator_of)),
        source_(std::move(source)),
        generator_(std::move(generator)),
        state_(std::move(state)),
        gauss_next_(nb::str("gauss_next")),
        set_state_(nb::str("set_state")),
        get_state_(nb::str("get_state")),
        python_(at<data::PythonBlock>(python)),
        numpy_(at<data::NumpyBlock>(numpy)),
        normal_(at<data::NumpyNormal>(normal)),
        torch_(at<data::TorchBlock>(torch)) {
    if (!python_ || !numpy_ || !normal_ || !torch_) {
      throw std::invalid_argument("every generator needs its memory");
    }
  }

  bool set(const nb::bytes& key) {
    const data::Key now = halves(key);
    if (bit_generator_of_().ptr() != source_.ptr()) return false;
    data::set(now, *python_);
    data::set(now, *numpy_);
    data::set(now, *torch_);
    normal_->waiting = 0;
    set_gauss_next(nb::none());
    set_torch_state(state_);
    key_ = now;
    return true;
  }

  std::optional<Saved> save() const {
    if (bit_generator_of_().ptr() != source_.ptr()) return std::nullopt;
    nb::object gauss_next = nb::steal(PyObject_GetAttr(instance_.ptr(), gauss_next_.ptr()));
    if (!gauss_next.is_valid()) throw nb::python_error();
    PyObject* const arguments[] = {generator_.ptr()};
    nb::object torch =
        nb::steal(PyObject_VectorcallMethod(get_state_.ptr(), arguments, 1, nullptr));
    if (!torch.is_valid()) throw nb::python_error();
    return Saved{*python_, std::move(gauss_next), *numpy_, *normal_, std::move(torch)};
  }

  void restore(const Saved& saved) {
    *python_ = saved.python;
    *numpy_ = saved.numpy;
    *normal_ = saved.normal;
    set_gauss_next(saved.gauss_next);
    set_torch_state(saved.torch);
  }

  nb::list items(nb::handle mapping, nb::sequence indices, nb::sequence keys,
                 nb::handle otherwise) {
    nb::list found;
    const std::size_t count = nb::len(indices);
    if (nb::len(keys) != count) throw std::invalid_argument("every index needs a key");
    for (std::size_t i = 0; i < count; ++i) {
      const nb::bytes key = nb::cast<nb::bytes>(keys[i]);
      if (!set(key)) otherwise(key);
      const nb::object index = indices[i];
      nb::object item = nb::steal(PyObject_GetItem(mapping.ptr(), index.ptr()));
      if (!item.is_valid()) throw nb::python_error();
      found.append(std::move(item));
    }
    return found;
  }

  int drawn(std::uintptr_t torch_now) const {
    return data::drawn(key_, *python_, *numpy_, *at<data::TorchBlock>(torch_now));
  }

 private:
  void set_gauss_next(const nb::object& value) {
    if (PyObject_SetAttr(instance_.ptr(), gauss_next_.ptr(), value.ptr()) != 0) {
      throw nb::python_error();
    }
  }

  void set_torch_state(const nb::object& state) {
    PyObject* const arguments[] = {generator_.ptr(), state.ptr()};
    const nb::object done =
        nb::steal(PyObject_VectorcallMethod(set_state_.ptr(), arguments, 2, nullptr));
    if (!done.is_valid()) throw nb::python_error();
  }

  nb::object instance_, bit_generator_of_, source_, generator_, state_;
  nb::object gauss_next_, set_state_, get_state_;
  data::PythonBlock* python_;
  data::NumpyBlock* numpy_;
  data::NumpyNormal* normal_;
  data::TorchBlock* torch_;
  data::Key key_{};
};

}  // namespace

void add_data(nb::module_& module) {
  module.def("fill_torch_state", &fill_torch_state, nb::arg("key"), nb::arg("state"),
             "Set the bytes that torch calls a generator's state to what a key stands for.\n\n"
             "Args: key: 16 bytes. state: their address.");
  module.def("expand_key", &expand_key, nb::arg("key"), nb::arg("build") = "",
             "The 940 words of 64 bits that a key stands for: three twisters, then seeds.\n\n"
             "Args: build: \"avx512\" or \"plain\"; empty for the one that suits the processor.");
  module.def("key_seeds", &key_seeds, nb::arg("key"),
             "The first two of those seeds: for torch on the CPU, and for its devices.");
  nb::class_<Saved>(module, "SavedTwisters", "What the three generators held at one moment.");
  nb::class_<GlobalTwisters>(module, "GlobalTwisters",
                             "Sets the global generators of Python, NumPy and torch from keys.")
      .def(nb::init<nb::object, std::uintptr_t, nb::object, nb::object, std::uintptr_t,
                    std::uintptr_t, nb::object, nb::object, std::uintptr_t>(),
           nb::arg("instance"), nb::arg("python"), nb::arg("bit_generator_of"), nb::arg("source"),
           nb::arg("numpy"), nb::arg("normal"), nb::arg("generator"), nb::arg("state"),
           nb::arg("torch"),
           "Args: instance: random's own generator. python: the address of its state.\n"
           "bit_generator_of: tells which bit generator NumPy draws from. source: the one whose\n"
           "state is at `numpy`, with the waiting normal at `normal`. generator: torch's.\n"
           "state: a state for it, whose bytes are at `torch`.")
      .def("set", &GlobalTwisters::set, nb::arg("key"),
           "Sets all three from a key; False, and none set, where NumPy has another source now.")
      .def("items", &GlobalTwisters::items, nb::arg("mapping"), nb::arg("indices"),
           nb::arg("keys"), nb::arg("otherwise"),
           "mapping[index] for every index, each after its key was set.\n\n"
           "Args: otherwise: called with a key where `set` would return False.")
      .def("save", &GlobalTwisters::save,
           "What all three hold now; None where NumPy has another source now.")
      .def("restore", &GlobalTwisters::restore, nb::arg("saved"),
           "Puts all three back to where `save` found them.")
      .def("drawn", &GlobalTwisters::drawn, nb::arg("torch_now"),
           "Which are not as `set` left them: 1 Python's, 2 NumPy's, 4 torch's, summed.\n\n"
           "Args: torch_now: the address of the state that torch's generator has now.");
}

}  // namespace samebits::python
