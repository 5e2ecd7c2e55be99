#include "exact/fourier_plan.hpp"

#include <map>
#include <mutex>

#include "exact/builds.hpp"

namespace samebits::exact {
namespace {

// Prime factors up to this one are radices; a prime p costs p operations a value.
constexpr long kLargestRadix = 31;
// Below this many values side by side loops run over roots as well.
constexpr long kNarrow = 16;
// Values that are kept in all; beyond it what is kept is forgotten.
constexpr long kKept = 16 << 20;

template <class T>
struct Store {
  std::mutex lock;
  std::map<long, std::shared_ptr<const FourierPlan<T>>> plans;
  std::map<long, std::shared_ptr<const UnitRoots<T>>> roots;
  long values = 0;

  void count(long n) {
    values += 4 * n;
    if (values <= kKept) return;
    plans.clear();
    roots.clear();
    values = 4 * n;
  }
};
template <class T>
Store<T>& store() {
  static Store<T> one;
  return one;
}

// The radix of the last stage of a transform of length n; 1 where no small factor is left.
long outermost(long n) {
  if (n % 4 == 0) return 4;
  if (n % 2 == 0) return 2;
  for (long p = 3; p <= kLargestRadix; p += 2) {
    if (n % p == 0) return p;
  }
  return 1;
}

template <class T>
FourierStage<T> stage_of(long radix, long before, long after, const UnitRoots<T>& roots) {
  FourierStage<T> stage;
  stage.radix = radix;
  stage.before = before;
  stage.after = after;
  stage.spread = after < kNarrow ? after : 1;
  const long n = static_cast<long>(roots.re.size());
  for (long q = 1; q < radix; ++q) {
    for (long k = 0; k < before; ++k) {
      const size_t place = static_cast<size_t>(q * k % (radix * before) * after % n);
      stage.re.insert(stage.re.end(), static_cast<size_t>(stage.spread), roots.re[place]);
      stage.im.insert(stage.im.end(), static_cast<size_t>(stage.spread), roots.im[place]);
    }
  }
  if (radix % 2 == 1) {
    for (long s = 1; s <= radix / 2; ++s) {
      for (long q = 1; q <= radix / 2; ++q) {
        const size_t place = static_cast<size_t>(q * s % radix * (n / radix));
        stage.cosines.push_back(roots.re[place]);
        stage.sines.push_back(T{0} - roots.im[place]);
      }
    }
  }
  return stage;
}

void transform(const Fourier<float>& f) { kernels().fourier_f32(f, 1); }
void transform(const Fourier<double>& f) { kernels().fourier_f64(f, 1); }

template <class T>
void add_chirp(FourierPlan<T>& plan) {
  const long rest = plan.rest;
  const long length = padded_length(rest);
  plan.padded = fourier_plan<T>(length);
  const auto roots = unit_roots<T>(2 * rest);
  std::vector<T> conjugate(static_cast<size_t>(2 * length)), spectrum(static_cast<size_t>(2 * length));
  for (long j = 0; j < rest; ++j) {
    const size_t place = static_cast<size_t>(static_cast<unsigned long>(j) * static_cast<unsigned long>(j) %
                                             static_cast<unsigned long>(2 * rest));
    plan.chirp_re.push_back(roots.re[place]);
    plan.chirp_im.push_back(roots.im[place]);
    for (const long at : {j, (length - j) % length}) {
      conjugate[static_cast<size_t>(2 * at)] = roots.re[place];
      conjugate[static_cast<size_t>(2 * at + 1)] = T{0} - roots.im[place];
    }
  }
  Fourier<T> f{};
  f.kind = FourierKind::kComplex;
  f.in = conjugate.data();
  f.out = spectrum.data();
  f.outer = f.inner = 1;
  f.n = length;
  f.plan = plan.padded.get();
  f.scale = T{1} / static_cast<T>(length);
  transform(f);
  for (long j = 0; j < length; ++j) {
    plan.spectrum_re.push_back(spectrum[static_cast<size_t>(2 * j)]);
    plan.spectrum_im.push_back(spectrum[static_cast<size_t>(2 * j + 1)]);
  }
}

}  // namespace

template <class T>
std::shared_ptr<const UnitRoots<T>> kept_roots(long n) {
  Store<T>& own = store<T>();
  {
    const std::lock_guard<std::mutex> held(own.lock);
    const auto found = own.roots.find(n);
    if (found != own.roots.end()) return found->second;
  }
  auto made = std::make_shared<const UnitRoots<T>>(unit_roots<T>(n));
  const std::lock_guard<std::mutex> held(own.lock);
  own.count(n);
  return own.roots[n] = made;
}

template <class T>
std::shared_ptr<const FourierPlan<T>> fourier_plan(long n) {
  Store<T>& own = store<T>();
  {
    const std::lock_guard<std::mutex> held(own.lock);
    const auto found = own.plans.find(n);
    if (found != own.plans.end()) return found->second;
  }
  auto plan = std::make_shared<FourierPlan<T>>();
  plan->n = n;
  const auto roots = unit_roots<T>(n);
  std::vector<long> radices;
  long left = n;
  for (long radix = outermost(left); radix > 1; radix = outermost(left)) {
    radices.push_back(radix);
    left /= radix;
  }
  plan->rest = left;
  long before = left;
  for (auto radix = radices.rbegin(); radix != radices.rend(); ++radix) {
    plan->stages.push_back(stage_of<T>(*radix, before, n / (before * *radix), roots));
    before *= *radix;
  }
  if (left > 1) add_chirp(*plan);
  const std::lock_guard<std::mutex> held(own.lock);
  own.count(n);
  return own.plans[n] = plan;
}

template std::shared_ptr<const FourierPlan<float>> fourier_plan<float>(long n);
template std::shared_ptr<const FourierPlan<double>> fourier_plan<double>(long n);
template std::shared_ptr<const UnitRoots<float>> kept_roots<float>(long n);
template std::shared_ptr<const UnitRoots<double>> kept_roots<double>(long n);

}  // namespace samebits::exact
