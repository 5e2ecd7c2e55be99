// Functions in binary64, correctly rounded: slow, for single values. Kernels ask here where a pair of
// doubles does not decide, and for whatever is not an ordinary number.
#pragma once

#include <cstdint>

namespace samebits::exact::precise {

double exp(double x);
double exp2(double x);
double expm1(double x);
double log(double x);
double log2(double x);
double log10(double x);
double log1p(double x);
double sin(double x);
double cos(double x);
double tanh(double x);
double sigmoid(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);
double erf(double x);
double erfc(double x);
double pow(double x, double y);

// The double nearest to a value, and what it has lost.
struct Parts {
  double high, low;
};

// Values that the kernels' tables are made of.
Parts two_to(double x);                   // 2^x, |x| <= 1
Parts log_of(double x);                   // log(x), x > 0
void sine_and_cosine(double x, Parts& sine, Parts& cosine);  // |x| <= pi / 4 and a little more
Parts arc_tangent(double x);              // atan(x), x >= 0
// Coefficients of erf(c + t), or with `scaled` of e^(x^2) erfc(x), x = c + t, by powers of t.
void erf_series(double c, bool scaled, int count, Parts* coefficients);

}  // namespace samebits::exact::precise
