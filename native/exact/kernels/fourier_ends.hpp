// What a group of Fourier transforms reads and writes: complex numbers, or real ones, for which two
// neighbours make one complex number where the length is even.
#pragma once

#include "exact/kernels/fourier_stages.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// Lanes of a group, where there are enough transforms.
constexpr long kLanes16 = 16;

// Where the values of a group lie. One transform whose values follow each other; several whose first values
// follow each other; several, each at a place of its own.
struct Alone {
  static constexpr bool one = true;
  long begin;
  long at(long, long j) const { return begin + j; }
};
struct Beside {
  static constexpr bool one = false;
  long begin, step;
  long at(long lane, long j) const { return begin + j * step + lane; }
};
struct Apart {
  static constexpr bool one = false;
  long begin[kLanes16];
  long step;
  long at(long lane, long j) const { return begin[lane] + j * step; }
};

template <class T>
SAMEBITS_INLINE T canonical_part(T x) {
  return x == x ? x : static_cast<T>(__builtin_nan(""));
}

template <class T, class Places>
struct Ends {
  const Fourier<T>& f;
  const Places& in;
  const Places& out;
  long lanes, here;  // of the planes, and those in use

  bool paired() const { return f.kind != FourierKind::kComplex && f.n % 2 == 0; }

  // Calls one(lane, place) for every lane in use and every place from `begin` on.
  template <class One>
  SAMEBITS_INLINE void each_place(long begin, long end, One one) const {
    if constexpr (Places::one) {
#pragma GCC ivdep
      for (long j = begin; j < end; ++j) one(0, j, j);
    } else {
      for (long j = begin; j < end; ++j) {
#pragma GCC ivdep
        for (long l = 0; l < here; ++l) one(l, j, j * lanes + l);
      }
    }
  }

  Value<T> number(long lane, long k) const {
    const T* from = f.in + 2 * in.at(lane, k);
    return {from[0], from[1]};
  }
  T real(long lane, long j) const { return f.in[in.at(lane, j)]; }

  void put(long lane, long k, T re, T im) const {
    T* to = f.out + 2 * out.at(lane, k);
    to[0] = canonical_part(re * f.scale);
    to[1] = canonical_part(im * f.scale);
  }
  void put_real(long lane, long j, T x) const { f.out[out.at(lane, j)] = canonical_part(x * f.scale); }

  // Fills x; lanes that are not in use are 0.
  void read(Planes<T> x) const {
    const long length = f.plan->n;
    if (here < lanes) {
      for (long i = 0; i < length * lanes; ++i) x.re[i] = x.im[i] = 0;
    }
    const Planes<T> to = f.exchanged ? x.exchanged() : x;
    const auto set = [&](long place, Value<T> value) {
      to.re[place] = value.re;
      to.im[place] = value.im;
    };
    if (f.kind == FourierKind::kComplex) {
      each_place(0, length, [&](long l, long j, long place) { set(place, number(l, j)); });
    } else if (f.kind == FourierKind::kFromReal && paired()) {
      each_place(0, length, [&](long l, long j, long place) {
        set(place, Value<T>{real(l, 2 * j), real(l, 2 * j + 1)});
      });
    } else if (f.kind == FourierKind::kFromReal) {
      each_place(0, length, [&](long l, long j, long place) { set(place, Value<T>{real(l, j), T{0}}); });
    } else if (paired()) {
      each_place(0, 1, [&](long l, long, long place) {
        const T first = number(l, 0).re, last = number(l, length).re;
        set(place, Value<T>{first + last, first - last});
      });
      each_place(1, length, [&](long l, long k, long place) { set(place, folded(l, k)); });
    } else {
      each_place(0, 1, [&](long l, long, long place) { set(place, Value<T>{number(l, 0).re, T{0}}); });
      each_place(1, length, [&](long l, long k, long place) {
        const bool behind = k > length / 2;
        const Value<T> value = number(l, behind ? length - k : k);
        set(place, Value<T>{value.re, behind ? -value.im : value.im});
      });
    }
  }

  // Of the spectrum of a real sequence, of even length: a value of the spectrum of its pairs.
  Value<T> folded(long lane, long k) const {
    const Value<T> a = number(lane, k), b = number(lane, f.n / 2 - k);
    const Value<T> even = {a.re + b.re, a.im - b.im};
    const Value<T> odd = Value<T>{a.re - b.re, a.im + b.im} * Value<T>{f.root_re[k], -f.root_im[k]};
    return {even.re - odd.im, even.im + odd.re};
  }

  void write(Planes<T> found) const {
    const Planes<T> x = f.exchanged ? found.exchanged() : found;
    const long length = f.plan->n;
    if (f.kind == FourierKind::kFromReal && paired()) {
      write_unfolded(x);
    } else if (f.kind != FourierKind::kToReal) {
      const long places = f.kind == FourierKind::kFromReal ? f.n / 2 + 1 : length;
      each_place(0, places, [&](long l, long j, long place) { put(l, j, x.re[place], x.im[place]); });
    } else if (paired()) {
      each_place(0, length, [&](long l, long j, long place) {
        put_real(l, 2 * j, x.re[place]);
        put_real(l, 2 * j + 1, x.im[place]);
      });
    } else {
      each_place(0, length, [&](long l, long j, long place) { put_real(l, j, x.re[place]); });
    }
  }

  // The spectrum of a real sequence, of that of its pairs.
  void write_unfolded(Planes<T> x) const {
    const long half = f.n / 2;
    each_place(0, 1, [&](long l, long, long place) {
      put(l, 0, x.re[place] + x.im[place], T{0});
      put(l, half, x.re[place] - x.im[place], T{0});
    });
    each_place(1, half, [&](long l, long k, long place) {
      const long other = Places::one ? half - k : (half - k) * lanes + l;
      const T halving = static_cast<T>(0.5);
      const Value<T> a = {x.re[place], x.im[place]}, b = {x.re[other], x.im[other]};
      const Value<T> even = {(a.re + b.re) * halving, (a.im - b.im) * halving};
      const Value<T> odd = {(a.im + b.im) * halving, -((a.re - b.re) * halving)};
      const Value<T> found = even + odd * Value<T>{f.root_re[k], f.root_im[k]};
      put(l, k, found.re, found.im);
    });
  }
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
