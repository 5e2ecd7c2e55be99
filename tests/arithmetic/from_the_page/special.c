/* The formulas in binary64 under "Functions": lgamma, digamma, polygamma, erfinv, Bessel. */
#include "numbers.h"

static double d_exp(double x) { return (double)WIDE(exp)((wide)x); }
static double d_log(double x) { return (double)WIDE(log)((wide)x); }
static double d_log1p(double x) { return (double)WIDE(log1p)((wide)x); }
static double d_sin(double x) { return (double)WIDE(sin)((wide)x); }
static double d_cos(double x) { return (double)WIDE(cos)((wide)x); }
static double d_erf(double x) { return (double)WIDE(erf)((wide)x); }
static double d_erfc(double x) { return (double)WIDE(erfc)((wide)x); }

static double series(int n, const double *c, double z) /* c[0] + z (c[1] + ...) */
{
    double value = c[n - 1];
    for (int k = n - 2; k >= 0; k--)
        value = c[k] + z * value;
    return value;
}

static wide power(wide x, int n)
{
    wide value = 1;
    while (n-- > 0)
        value *= x;
    return value;
}

static wide zeta_less_one(int k) /* Euler and Maclaurin, from 40 on */
{
    const int n = 40;
    wide sum = 0, term = 1 / power(n, k);
    for (int i = 2; i < n; i++)
        sum += 1 / power(i, k);
    sum += term * n / (k - 1) + term / 2;
    static const int above[] = {1, -1, 1, -1, 5, -691, 7}, below[] = {6, 30, 42, 30, 66, 2730, 6};
    wide rising = k, factorial = 2, down = term / n;
    for (int j = 0; j < 7; j++) {
        sum += (wide)above[j] / below[j] / factorial * rising * down;
        rising *= (wide)(k + 2 * j + 1) * (k + 2 * j + 2);
        factorial *= (wide)(2 * j + 3) * (2 * j + 4);
        down /= (wide)n * n;
    }
    return sum;
}

static double small_gamma(double z) /* S(z) */
{
    static double c[26], linear;
    if (linear == 0) {
        for (int k = 2; k <= 27; k++)
            c[k - 2] = (double)((k % 2 ? -1 : 1) * zeta_less_one(k) / k);
        /* Euler's constant from the harmonic sum of 1000 terms. */
        wide harmonic = 0;
        for (int i = 1; i <= 1000; i++)
            harmonic += (wide)1 / i;
        const wide n = 1000;
        const wide gamma = harmonic - WIDE(log)(n) - 1 / (2 * n) + 1 / (12 * n * n)
                           - 1 / (120 * n * n * n * n) + 1 / (252 * power(n, 6))
                           - 1 / (240 * power(n, 8));
        linear = (double)(1 - gamma);
    }
    return z * linear + (z * z) * series(26, c, z);
}

static double lgamma_of(double x)
{
    static const double tail[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188,
                                  -691.0 / 360360, 1.0 / 156};
    const double a = fabs(x);
    double value;
    if (isinf(x) || (x <= 0 && x == rint(x)))
        return INFINITY;
    if (x < 0 && a < 1e-17)
        return -d_log(a);
    if (a < 0.5)
        value = small_gamma(a) - d_log1p(a) - d_log(a);
    else if (a < 1.5)
        value = small_gamma(a - 1) - d_log1p(a - 1);
    else if (a < 8) {
        const int n = (int)floor(a - 1.5);
        double p = 1;
        for (int k = 1; k <= n; k++)
            p = p * (a - k);
        value = small_gamma((a - n) - 2) + d_log(p);
    } else {
        const double i = 1 / a, half_log = (double)(WIDE(log)(2 * (wide)WIDE(acos)((wide)-1)) / 2);
        value = ((a - 0.5) * d_log(a) - a) + half_log + i * series(7, tail, i * i);
    }
    if (x < 0) {
        const double r = (a - rint(a)) * PI;
        value = d_log((1 / (a * fabs(d_sin(r)))) * PI) - value;
    }
    return value;
}

static double digamma_of(double x)
{
    static const double c[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132,
                               -691.0 / 32760, 1.0 / 12};
    const double a = fabs(x);
    if (x == 0)
        return signbit(x) ? INFINITY : -INFINITY;
    if (x < 0 && x == rint(x))
        return NAN;
    double y = x < 0 ? a + 1 : a, t = 0;
    while (y < 10) {
        t = t + 1 / y;
        y = y + 1;
    }
    const double i = 1 / y, w = i * i;
    double value = ((d_log(y) - 0.5 * i) - w * series(7, c, w)) - t;
    if (x < 0) {
        const double r = (a - rint(a)) * PI;
        value = value + PI * (d_cos(r) / d_sin(r));
    }
    return value;
}

static double trigamma_of(double x)
{
    static const double c[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730,
                               7.0 / 6};
    const double a = fabs(x);
    double y = x < 0 ? a + 1 : a, t = 0;
    while (y < 10) {
        t = t + (1 / y) * (1 / y);
        y = y + 1;
    }
    const double i = 1 / y, w = i * i;
    double value = ((i + 0.5 * w) + (i * w) * series(7, c, w)) + t;
    if (x < 0) {
        const double r = (a - rint(a)) * PI, q = (1 / d_sin(r)) * PI;
        value = q * q - value;
    }
    return value;
}

static double erfinv_of(double x)
{
    const double a = fabs(x);
    if (a == 1)
        return copysign(INFINITY, x);
    if (!(a < 1))
        return NAN;
    const double l = d_log((1 - a) * (1 + a)), t = 2 / (PI * 0.147) + l * 0.5;
    double y = sqrt(sqrt(t * t - l / 0.147) - t);
    if (a < 0.1)
        y = a * (sqrt(PI) / 2);
    for (int turn = 0; turn < 2; turn++) {
        const double d = a < 0.5 ? d_erf(y) - a : (1 - a) - d_erfc(y);
        const double u = d / (d_exp(-y * y) * (2 / sqrt(PI)));
        y = y - u / (1 + y * u);
    }
    return copysign(y, x);
}

static double bessel(double x, int n, int scaled)
{
    const double a = fabs(x);
    double s = 1;
    if (isinf(x) && !scaled)
        return n && x < 0 ? -INFINITY : INFINITY;
    if (a < 30) {
        for (int k = 64; k >= 1; k--)
            s = 1 + (s * (a * a * 0.25)) / (double)(k * (k + n));
        s = s * d_exp(-a);
        if (n)
            s = (a * 0.5) * s;
    } else {
        for (int k = 30; k >= 1; k--)
            s = 1 - (s * (double)(4 * n - (2 * k - 1) * (2 * k - 1))) / ((double)(8 * k) * a);
        s = s / sqrt(a * (2 * PI));
    }
    if (n)
        s = copysign(s, x);
    if (!scaled) {
        const double h = d_exp(a * 0.5);
        s = s * h * h;
    }
    return s;
}

void special_lgamma(double x, double *out) { *out = lgamma_of(x); }

void special(const char *name, long n, const double *x, double *out)
{
    for (long i = 0; i < n; i++) {
        double value = NAN;
        if (!strcmp(name, "lgamma"))
            value = lgamma_of(x[i]);
        else if (!strcmp(name, "digamma"))
            value = digamma_of(x[i]);
        else if (!strcmp(name, "trigamma"))
            value = trigamma_of(x[i]);
        else if (!strcmp(name, "erfinv"))
            value = erfinv_of(x[i]);
        else if (name[0] == 'i')
            value = bessel(x[i], name[1] - '0', name[2] == 'e');
        out[i] = value != value ? NAN : value;
    }
}
