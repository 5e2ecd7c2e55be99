// The stages of a Fourier transform (docs/arithmetic.md, "Spectra"), over real and imaginary parts that
// are kept apart. `lanes` transforms go side by side: value j of transform l is at j × lanes + l. Side by
// side too are the subsequences of which a stage makes longer ones; loops run over both.
#pragma once

#include "exact/fourier.hpp"
#include "exact/kernels/builds.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// Two arrays: real and imaginary parts.
template <class T>
struct Planes {
  T* re;
  T* im;
  Planes from(long place) const { return {re + place, im + place}; }
  Planes exchanged() const { return {im, re}; }
};

// The roots that the inputs of a butterfly are multiplied with: none, the same along the loop, or each its own.
struct NoRoots {
  static constexpr bool any = false;
};
template <class T>
struct SameRoots {
  static constexpr bool any = true;
  const T* re;
  const T* im;
  long step;
  T real(long q, long) const { return re[(q - 1) * step]; }
  T imaginary(long q, long) const { return im[(q - 1) * step]; }
};
template <class T>
struct OwnRoots {
  static constexpr bool any = true;
  const T* re;
  const T* im;
  long step;
  T real(long q, long i) const { return re[(q - 1) * step + i]; }
  T imaginary(long q, long i) const { return im[(q - 1) * step + i]; }
};

template <class T>
struct Value {
  T re, im;
};
template <class T>
SAMEBITS_INLINE Value<T> operator+(Value<T> a, Value<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
SAMEBITS_INLINE Value<T> operator-(Value<T> a, Value<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
SAMEBITS_INLINE Value<T> operator*(Value<T> a, Value<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class T, class Roots>
SAMEBITS_INLINE Value<T> input(Planes<const T> x, long step, long q, long i, const Roots& roots) {
  const Value<T> value = {x.re[q * step + i], x.im[q * step + i]};
  if constexpr (Roots::any) {
    if (q > 0) return value * Value<T>{roots.real(q, i), roots.imaginary(q, i)};
  }
  return value;
}

template <class T, class Roots>
void by_two(long count, Planes<const T> x, long in, Planes<T> y, long out, const Roots& roots) {
#pragma GCC ivdep
  for (long i = 0; i < count; ++i) {
    const Value<T> a = input(x, in, 0, i, roots), b = input(x, in, 1, i, roots);
    const Value<T> sum = a + b, difference = a - b;
    y.re[i] = sum.re;
    y.im[i] = sum.im;
    y.re[out + i] = difference.re;
    y.im[out + i] = difference.im;
  }
}

template <class T, class Roots>
void by_four(long count, Planes<const T> x, long in, Planes<T> y, long out, const Roots& roots) {
#pragma GCC ivdep
  for (long i = 0; i < count; ++i) {
    const Value<T> z0 = input(x, in, 0, i, roots), z1 = input(x, in, 1, i, roots);
    const Value<T> z2 = input(x, in, 2, i, roots), z3 = input(x, in, 3, i, roots);
    const Value<T> a = z0 + z2, b = z0 - z2, c = z1 + z3, d = z1 - z3;
    y.re[i] = a.re + c.re;
    y.im[i] = a.im + c.im;
    y.re[out + i] = b.re + d.im;
    y.im[out + i] = b.im - d.re;
    y.re[2 * out + i] = a.re - c.re;
    y.im[2 * out + i] = a.im - c.im;
    y.re[3 * out + i] = b.re - d.im;
    y.im[3 * out + i] = b.im + d.re;
  }
}

constexpr long kLargestHalf = 15;
constexpr long kStretch = 16;

// Any odd radix: sums and differences of inputs q and radix − q, of which cosines and sines are taken.
// `known` is half of it where the compiler is to know that.
template <long known, class T, class Roots>
void by_odd(const FourierStage<T>& stage, long count, Planes<const T> x, long in, Planes<T> y, long out,
            const Roots& roots) {
  const long half = known > 0 ? known : stage.radix / 2;
  T sum_re[kLargestHalf][kStretch], sum_im[kLargestHalf][kStretch];
  T difference_re[kLargestHalf][kStretch], difference_im[kLargestHalf][kStretch];
  for (long begin = 0; begin < count; begin += kStretch) {
    const long here = count - begin < kStretch ? count - begin : kStretch;
    T total_re[kStretch], total_im[kStretch];
    const T* first_re = x.re + begin;
    const T* first_im = x.im + begin;
    for (long i = 0; i < here; ++i) {
      total_re[i] = first_re[i];
      total_im[i] = first_im[i];
    }
    for (long q = 1; q <= half; ++q) {
      for (long i = 0; i < here; ++i) {
        const Value<T> a = input(x, in, q, begin + i, roots), b = input(x, in, 2 * half + 1 - q, begin + i, roots);
        const Value<T> sum = a + b, difference = a - b;
        sum_re[q - 1][i] = sum.re;
        sum_im[q - 1][i] = sum.im;
        difference_re[q - 1][i] = difference.re;
        difference_im[q - 1][i] = difference.im;
        total_re[i] = total_re[i] + sum.re;
        total_im[i] = total_im[i] + sum.im;
      }
    }
    for (long i = 0; i < here; ++i) {
      y.re[begin + i] = total_re[i];
      y.im[begin + i] = total_im[i];
    }
#pragma GCC unroll 2
    for (long s = 1; s <= half; ++s) {
      const T* cosines = stage.cosines.data() + (s - 1) * half;
      const T* sines = stage.sines.data() + (s - 1) * half;
      T even_re[kStretch], even_im[kStretch], odd_re[kStretch], odd_im[kStretch];
      for (long i = 0; i < here; ++i) {
        even_re[i] = first_re[i] + cosines[0] * sum_re[0][i];
        even_im[i] = first_im[i] + cosines[0] * sum_im[0][i];
        odd_re[i] = sines[0] * difference_re[0][i];
        odd_im[i] = sines[0] * difference_im[0][i];
      }
      for (long q = 1; q < half; ++q) {
        for (long i = 0; i < here; ++i) {
          even_re[i] = even_re[i] + cosines[q] * sum_re[q][i];
          even_im[i] = even_im[i] + cosines[q] * sum_im[q][i];
          odd_re[i] = odd_re[i] + sines[q] * difference_re[q][i];
          odd_im[i] = odd_im[i] + sines[q] * difference_im[q][i];
        }
      }
      for (long i = 0; i < here; ++i) {
        y.re[s * out + begin + i] = even_re[i] + odd_im[i];
        y.im[s * out + begin + i] = even_im[i] - odd_re[i];
        y.re[(stage.radix - s) * out + begin + i] = even_re[i] - odd_im[i];
        y.im[(stage.radix - s) * out + begin + i] = even_im[i] + odd_re[i];
      }
    }
  }
}

template <class T, class Roots>
SAMEBITS_INLINE void butterflies(const FourierStage<T>& stage, long count, Planes<const T> x, long in, Planes<T> y,
                                 long out, const Roots& roots) {
  if (stage.radix == 4) {
    by_four(count, x, in, y, out, roots);
  } else if (stage.radix == 2) {
    by_two(count, x, in, y, out, roots);
  } else if (stage.radix == 3) {
    by_odd<1>(stage, count, x, in, y, out, roots);
  } else if (stage.radix == 5) {
    by_odd<2>(stage, count, x, in, y, out, roots);
  } else {
    by_odd<0>(stage, count, x, in, y, out, roots);
  }
}

template <class T>
Planes<const T> reading(Planes<T> x) {
  return {x.re, x.im};
}

// Short runs, put one behind the other: those of the first input of a butterfly, of the second, and so on.
template <class T, long length = 0>
void gather_runs(const FourierStage<T>& stage, long inner, const T* __restrict x, T* __restrict to) {
  if constexpr (length > 0) inner = length;
  const long out = stage.before * inner;
  for (long q = 0; q < stage.radix; ++q) {
    for (long k = 0; k < stage.before; ++k) {
      for (long i = 0; i < inner; ++i) to[q * out + k * inner + i] = x[(k * stage.radix + q) * inner + i];
    }
  }
}

// The same of runs of one value for four inputs: one loop, which the compiler turns into shuffles.
template <class T>
void gather_fours(long before, const T* __restrict x, T* __restrict to) {
  for (long k = 0; k < before; ++k) {
    to[k] = x[4 * k];
    to[before + k] = x[4 * k + 1];
    to[2 * before + k] = x[4 * k + 2];
    to[3 * before + k] = x[4 * k + 3];
  }
}

template <class T>
void gather(const FourierStage<T>& stage, long inner, const T* x, T* to) {
  if (inner == 1 && stage.radix == 4) {
    gather_fours(stage.before, x, to);
  } else if (inner == 4) {
    gather_runs<T, 4>(stage, inner, x, to);
  } else if (inner == 8) {
    gather_runs<T, 8>(stage, inner, x, to);
  } else if (inner == 2) {
    gather_runs<T, 2>(stage, inner, x, to);
  } else if (inner == 1) {
    gather_runs<T, 1>(stage, inner, x, to);
  } else {
    gather_runs<T>(stage, inner, x, to);
  }
}

// One stage from x to y; `spare` has room for as much.
template <class T>
void run_stage(const FourierStage<T>& stage, long lanes, Planes<T> x, Planes<T> y, Planes<T> spare) {
  const long inner = stage.after * lanes;
  const long out = stage.before * inner;
  const T* re = stage.re.data();
  const T* im = stage.im.data();
  const long step = stage.before * stage.spread;
  if (lanes == 1 && stage.spread == stage.after && stage.before > 1) {
    gather(stage, inner, x.re, spare.re);
    gather(stage, inner, x.im, spare.im);
    butterflies(stage, inner, reading(spare), out, y, out, NoRoots{});
    butterflies(stage, out - inner, reading(spare.from(inner)), out, y.from(inner), out,
                OwnRoots<T>{re + inner, im + inner, step});
    return;
  }
  for (long k = 0; k < stage.before; ++k) {
    const Planes<const T> from = reading(x.from(k * inner * stage.radix));
    const Planes<T> to = y.from(k * inner);
    if (k == 0) {
      butterflies(stage, inner, from, inner, to, out, NoRoots{});
    } else {
      butterflies(stage, inner, from, inner, to, out, SameRoots<T>{re + k * stage.spread, im + k * stage.spread, step});
    }
  }
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
