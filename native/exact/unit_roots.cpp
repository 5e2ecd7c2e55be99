// Angles are fractions of whole numbers, so that they are brought into an eighth of the circle without
// a rounding; there, sine and cosine are summed from their series in pairs of doubles (some 104 bits).
#include "exact/unit_roots.hpp"

#include <cstdint>
#include <cstring>

namespace samebits::exact {
namespace {

// A number as the unevaluated sum of two doubles, the second below half a unit of the first's last place.
struct Pair {
  double high, low;
};

Pair fast_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

Pair sum_of(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// Veltkamp's halves: 26 bits each, whose products are exact.
Pair halves(double a) {
  const double scaled = a * 134217729.0;
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

Pair product_of(double a, double b) {
  const double product = a * b;
  const Pair x = halves(a), y = halves(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

Pair operator+(Pair a, Pair b) {
  const Pair high = sum_of(a.high, b.high);
  const Pair low = sum_of(a.low, b.low);
  const Pair middle = fast_sum(high.high, high.low + low.high);
  return fast_sum(middle.high, middle.low + low.low);
}

Pair operator*(Pair a, Pair b) {
  const Pair product = product_of(a.high, b.high);
  return fast_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

Pair operator/(Pair a, double b) {
  const double first = a.high / b;
  const Pair back = product_of(first, b);
  const double rest = ((a.high - back.high) - back.low) + a.low;
  return fast_sum(first, rest / b);
}

struct Angle {
  Pair cosine, sine;
};

// Of part / whole of an eighth of the circle.
Angle angle(long part, long whole) {
  const Pair eighth = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};  // π / 4
  const Pair x = Pair{static_cast<double>(part), 0} / static_cast<double>(whole) * eighth;
  const Pair square = x * x;
  Angle found = {{1, 0}, x};
  Pair cosine = {1, 0}, sine = x;
  for (int k = 1; k <= 15; ++k) {
    cosine = cosine * square / -static_cast<double>((2 * k - 1) * (2 * k));
    sine = sine * square / -static_cast<double>(2 * k * (2 * k + 1));
    found.cosine = found.cosine + cosine;
    found.sine = found.sine + sine;
  }
  return found;
}

double rounded(Pair x, double) { return x.high + x.low; }

// Rounded to odd in binary64 first, so that the rounding to binary32 is the only one that shows.
float rounded(Pair x, float) {
  if (x.low != 0) {
    int64_t bits;
    std::memcpy(&bits, &x.high, sizeof bits);
    if ((bits & 1) == 0) bits += (x.low > 0) == (x.high > 0) ? 1 : -1;
    std::memcpy(&x.high, &bits, sizeof bits);
  }
  return static_cast<float>(x.high);
}

}  // namespace

template <class T>
UnitRoots<T> unit_roots(long n) {
  UnitRoots<T> roots;
  roots.re.resize(static_cast<size_t>(n));
  roots.im.resize(static_cast<size_t>(n));
  // Of parts of an eighth: most are met several times.
  struct Known {
    T cosine, sine;
    bool known;
  };
  std::vector<Known> known(static_cast<size_t>(n) + 1);
  for (long k = 0; k < n; ++k) {
    const long eighth = 8 * k / n;
    const long rest = 8 * k - eighth * n;
    const long part = eighth % 2 == 0 ? rest : n - rest;
    Known& here = known[static_cast<size_t>(part)];
    if (!here.known) {
      const Angle found = angle(part, n);
      here = {rounded(found.cosine, T{}), rounded(found.sine, T{}), true};
    }
    const bool swaps = eighth % 4 == 1 || eighth % 4 == 2;
    const T across = swaps ? here.sine : here.cosine;
    const T up = swaps ? here.cosine : here.sine;
    const T re = eighth >= 2 && eighth <= 5 ? -across : across;
    const T im = eighth <= 3 ? -up : up;
    roots.re[static_cast<size_t>(k)] = re + T{0};
    roots.im[static_cast<size_t>(k)] = im + T{0};
  }
  return roots;
}

template UnitRoots<float> unit_roots<float>(long n);
template UnitRoots<double> unit_roots<double>(long n);

}  // namespace samebits::exact
