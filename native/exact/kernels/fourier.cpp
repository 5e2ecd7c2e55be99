// Fourier transforms of complex and real numbers (docs/arithmetic.md, "Spectra").
#include "exact/kernels/fourier_ends.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// From this length on a transform is as fast alone as several side by side, which must be brought there.
constexpr long kShort = 64;
// From this one on several would leave the cache.
constexpr long kAlone = 8192;

// Values that a transform of a plan works in, for one lane: three pairs of planes, and those of a rest.
template <class T>
long workspace(const FourierPlan<T>& plan, long lanes) {
  long values = 6 * plan.n * lanes;
  if (plan.rest > 1) values += 6 * plan.padded->n * kLanes16;
  return values;
}

template <class T>
class Room {
 public:
  explicit Room(T* memory) : next_(memory) {}
  Planes<T> planes(long values) {
    const Planes<T> found = {next_, next_ + values};
    next_ += 2 * values;
    return found;
  }

 private:
  T* next_;
};

// Runs the stages; x and y take turns. The result is in what is returned.
template <class T>
Planes<T> run_stages(const FourierPlan<T>& plan, long lanes, Planes<T> x, Planes<T> y, Planes<T> spare) {
  for (const FourierStage<T>& stage : plan.stages) {
    run_stage(stage, lanes, x, y, spare);
    const Planes<T> done = y;
    y = x;
    x = done;
  }
  return x;
}

// y = x × factors, or its parts exchanged, for `count` values with `lanes` beside each other.
template <class T>
void multiply(long count, long lanes, Planes<T> x, const T* re, const T* im, Planes<T> y) {
  for (long j = 0; j < count; ++j) {
    const Value<T> factor = {re[j], im[j]};
#pragma GCC ivdep
    for (long l = 0; l < lanes; ++l) {
      const Value<T> found = Value<T>{x.re[j * lanes + l], x.im[j * lanes + l]} * factor;
      y.re[j * lanes + l] = found.re;
      y.im[j * lanes + l] = found.im;
    }
  }
}

// Transforms of the length of a plan's rest, of subsequences that lie side by side: from x to y.
template <class T>
void run_rest(const FourierPlan<T>& plan, long side, Planes<T> x, Planes<T> y, Room<T> room) {
  const FourierPlan<T>& padded = *plan.padded;
  const long lanes = side >= 4 ? kLanes16 : 1;
  const Planes<T> a = room.planes(padded.n * lanes), b = room.planes(padded.n * lanes);
  const Planes<T> spare = room.planes(padded.n * lanes);
  for (long begin = 0; begin < side; begin += lanes) {
    const long here = side - begin < lanes ? side - begin : lanes;
    for (long j = 0; j < padded.n; ++j) {
      for (long l = 0; l < lanes; ++l) {
        const bool there = j < plan.rest && l < here;
        a.re[j * lanes + l] = there ? x.re[j * side + begin + l] : T{0};
        a.im[j * lanes + l] = there ? x.im[j * side + begin + l] : T{0};
      }
    }
    multiply(plan.rest, lanes, a, plan.chirp_re.data(), plan.chirp_im.data(), a);
    const Planes<T> found = run_stages(padded, lanes, a, b, spare);
    const Planes<T> other = found.re == a.re ? b : a;
    multiply(padded.n, lanes, found, plan.spectrum_re.data(), plan.spectrum_im.data(), found);
    const Planes<T> back = run_stages(padded, lanes, found.exchanged(), other, spare);
    const Planes<T> values = back.exchanged();
    multiply(plan.rest, lanes, values, plan.chirp_re.data(), plan.chirp_im.data(), values);
    for (long j = 0; j < plan.rest; ++j) {
      for (long l = 0; l < here; ++l) {
        y.re[j * side + begin + l] = values.re[j * lanes + l];
        y.im[j * side + begin + l] = values.im[j * lanes + l];
      }
    }
  }
}

// One group of transforms, with all the memory that it needs.
template <class T, class Places>
void run_group(const Fourier<T>& f, const Places& in, const Places& out, long lanes, long here, T* memory) {
  const FourierPlan<T>& plan = *f.plan;
  Room<T> room(memory);
  Planes<T> x = room.planes(plan.n * lanes), y = room.planes(plan.n * lanes);
  const Planes<T> spare = room.planes(plan.n * lanes);
  const Ends<T, Places> ends{f, in, out, lanes, here};
  ends.read(x);
  if (plan.rest > 1) {
    run_rest(plan, plan.n / plan.rest * lanes, x, y, room);
    const Planes<T> done = y;
    y = x;
    x = done;
  }
  ends.write(run_stages(plan, lanes, x, y, spare));
}

template <class T>
bool fourier(const Fourier<T>& f, int threads) {
  const FourierPlan<T>& plan = *f.plan;
  const long rows = f.outer * f.inner;
  const long spectrum = f.n / 2 + 1;
  const long in = f.kind == FourierKind::kToReal ? spectrum : f.n;
  const long out = f.kind == FourierKind::kFromReal ? spectrum : f.n;
  // Neighbours are taken where they lie side by side; short transforms, wherever they are.
  const bool beside = f.inner >= 4 && plan.n < kAlone;
  const bool long_enough = plan.n >= kShort && (plan.rest == 1 || plan.n >= kAlone);
  const bool alone = !beside && f.inner == 1 && (long_enough || rows < 4);
  const long lanes = alone || (!beside && rows < 4) ? 1 : kLanes16;
  const long in_a_run = beside ? (f.inner + lanes - 1) / lanes : 0;
  const long groups = beside ? f.outer * in_a_run : (rows + lanes - 1) / lanes;
  long missing = 0;
  parallel_apart(groups, threads, [&](long group) {
    T* memory = static_cast<T*>(scratch(static_cast<size_t>(workspace(plan, lanes)) * sizeof(T)));
    if (memory == nullptr) {
      __atomic_store_n(&missing, 1, __ATOMIC_RELAXED);
    } else if (alone) {
      run_group(f, Alone{group * in}, Alone{group * out}, 1, 1, memory);
    } else if (beside) {
      const long outer = group / in_a_run, first = group % in_a_run * lanes;
      const long here = f.inner - first < lanes ? f.inner - first : lanes;
      run_group(f, Beside{outer * in * f.inner + first, f.inner}, Beside{outer * out * f.inner + first, f.inner}, lanes,
                here, memory);
    } else {
      const long first = group * lanes;
      const long here = rows - first < lanes ? rows - first : lanes;
      Apart from{{}, f.inner}, to{{}, f.inner};
      for (long l = 0; l < here; ++l) {
        from.begin[l] = (first + l) / f.inner * in * f.inner + (first + l) % f.inner;
        to.begin[l] = (first + l) / f.inner * out * f.inner + (first + l) % f.inner;
      }
      run_group(f, from, to, lanes, here, memory);
    }
  });
  return missing == 0;
}

}  // namespace

bool fourier_f32(const Fourier<float>& f, int threads) { return fourier(f, threads); }
bool fourier_f64(const Fourier<double>& f, int threads) { return fourier(f, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
