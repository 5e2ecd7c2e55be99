// Fourier transforms: how one length is computed, and what is to be transformed.
#pragma once

#include <memory>
#include <vector>

namespace samebits::exact {

// `radix` transforms of length `before` become one of length radix × before, `after` times.
template <class T>
struct FourierStage {
  long radix, before, after;
  // Roots for value k of transform q (q from 1 on), at ((q − 1) × before + k) × spread, each repeated
  // `spread` times: where `after` is small, loops run over k and the repetitions together.
  long spread;
  std::vector<T> re, im;
  // Of odd radices: cos and sin of 2π q s / radix, at (s − 1) × half + q − 1, q and s up to half.
  std::vector<T> cosines, sines;
};

// A length is a product of radices and of a rest without small prime factors. The rest comes first: its
// transform is a convolution (Bluestein, 1970) with transforms of the length of `padded`.
template <class T>
struct FourierPlan {
  long n = 1;
  long rest = 1;
  std::vector<FourierStage<T>> stages;
  std::shared_ptr<const FourierPlan<T>> padded;
  std::vector<T> chirp_re, chirp_im;        // of the rest
  std::vector<T> spectrum_re, spectrum_im;  // of the conjugate chirp, divided by the padded length
};

// The length that the convolution of a rest has: a power of two.
inline long padded_length(long rest) {
  long length = 1;
  while (length < 2 * rest - 1) length *= 2;
  return length;
}

enum class FourierKind : int { kComplex = 0, kFromReal = 1, kToReal = 2 };

// Transforms over the middle axis of [outer, n, inner]. Complex numbers are their parts side by side; what
// a real transform gives or takes has n / 2 + 1 places there.
template <class T>
struct Fourier {
  FourierKind kind;
  bool exchanged;  // parts are exchanged before and after: the inverse transform
  const T* in;
  T* out;
  long outer, n, inner;
  const FourierPlan<T>* plan;  // of n, or of n / 2 for real transforms of even length
  const T* root_re;            // of n, for those
  const T* root_im;
  T scale;  // 1: no multiplication
};

}  // namespace samebits::exact
