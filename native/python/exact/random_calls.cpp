// Random numbers, as Python calls them.
#include "exact/permutation.hpp"
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

float* floats_of(const View& out) { return static_cast<float*>(out.data); }

void random_words(nb::handle out_tensor, uint64_t key) {
  const View out = need_contiguous(out_tensor, DType::kInt32, -1, "out");
  work(static_cast<double>(out.numel()), [&](int threads) {
    kernels().random_words(key, out.numel(), static_cast<uint32_t*>(out.data), threads);
  });
}
void random_uniform(nb::handle out_tensor, uint64_t key, double from, double to) {
  const View out = need_contiguous(out_tensor, DType::kFloat32, -1, "out");
  work(static_cast<double>(out.numel()), [&](int threads) {
    kernels().random_uniform(key, out.numel(), floats_of(out), static_cast<float>(from), static_cast<float>(to), threads);
  });
}
void random_bernoulli(nb::handle out_tensor, uint64_t key, uint64_t threshold) {
  const View out = need_contiguous(out_tensor, DType::kFloat32, -1, "out");
  work(static_cast<double>(out.numel()),
       [&](int threads) { kernels().random_bernoulli(key, out.numel(), floats_of(out), threshold, threads); });
}
void random_exponential(nb::handle out_tensor, uint64_t key, double rate) {
  const View out = need_contiguous(out_tensor, DType::kFloat32, -1, "out");
  work(static_cast<double>(out.numel()), [&](int threads) {
    kernels().random_exponential(key, out.numel(), floats_of(out), static_cast<float>(rate), threads);
  });
}
void random_normal(nb::handle out_tensor, uint64_t key, double mean, double deviation) {
  const View out = need_contiguous(out_tensor, DType::kFloat32, -1, "out");
  work(static_cast<double>(out.numel()), [&](int threads) {
    kernels().random_normal(key, out.numel(), floats_of(out), static_cast<float>(mean), static_cast<float>(deviation), threads);
  });
}

void order_of_words(nb::handle out_tensor, nb::handle words_tensor) {
  const View words = need_contiguous(words_tensor, DType::kInt64, -1, "words");
  const View out = need_contiguous(out_tensor, DType::kInt64, words.numel(), "out");
  bool done = false;
  work(static_cast<double>(words.numel()), [&](int) {
    done = exact::order_of_words(static_cast<const int64_t*>(words.data), words.numel(), static_cast<int64_t*>(out.data));
  });
  if (!done) no_memory();
}

}  // namespace

void add_random_calls(nb::module_& module) {
  module.def("order_of_words", order_of_words, nb::arg("out"), nb::arg("words"), "The stable order that sorts words.");
  module.def("random_words", random_words, nb::arg("out"), nb::arg("key"), "Words of Philox4x32-10, into int32.");
  module.def("random_uniform", random_uniform, nb::arg("out"), nb::arg("key"), nb::arg("low"), nb::arg("high"),
             "Uniform between two numbers.");
  module.def("random_bernoulli", random_bernoulli, nb::arg("out"), nb::arg("key"), nb::arg("threshold"),
             "1 where the word is below the threshold, else 0.");
  module.def("random_exponential", random_exponential, nb::arg("out"), nb::arg("key"), nb::arg("rate"),
             "Exponentially distributed.");
  module.def("random_normal", random_normal, nb::arg("out"), nb::arg("key"), nb::arg("mean"), nb::arg("deviation"),
             "Normally distributed.");
}

}  // namespace samebits::python::exact_arithmetic
