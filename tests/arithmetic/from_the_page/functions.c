/* "Functions": correctly rounded, by way of a format of 113 bits; and halves, rounded once. */
#include "numbers.h"

#define CORRECTLY_ROUNDED(name) \
    real f_##name(real x) { return shown((real)WIDE(name)((wide)x)); }

CORRECTLY_ROUNDED(exp)
CORRECTLY_ROUNDED(exp2)
CORRECTLY_ROUNDED(expm1)
CORRECTLY_ROUNDED(log)
CORRECTLY_ROUNDED(log2)
CORRECTLY_ROUNDED(log10)
CORRECTLY_ROUNDED(log1p)
CORRECTLY_ROUNDED(sin)
CORRECTLY_ROUNDED(cos)
CORRECTLY_ROUNDED(asin)
CORRECTLY_ROUNDED(acos)
CORRECTLY_ROUNDED(atan)
CORRECTLY_ROUNDED(tanh)
CORRECTLY_ROUNDED(erf)
CORRECTLY_ROUNDED(erfc)

real f_sigmoid(real x) { return shown((real)(1 / (1 + WIDE(exp)(-(wide)x)))); }

real f_rsqrt(real x)
{
    if (BITS == 64)
        return shown(1 / root(x));
    return shown((real)(1 / WIDE(sqrt)((wide)x)));
}

real f_pow(real x, real y)
{
    if (y == (real)0.5)
        return shown(root(x));
    if (y == (real)-0.5)
        return f_rsqrt(x);
    return shown((real)WIDE(pow)((wide)x, (wide)y));
}

real f_atan2(real y, real x) { return shown((real)WIDE(atan2)((wide)y, (wide)x)); }

void unary(const char *name, long n, const real *x, real *out)
{
    static const struct { const char *name; real (*f)(real); } functions[] = {
        {"exp", f_exp}, {"exp2", f_exp2}, {"expm1", f_expm1}, {"log", f_log}, {"log2", f_log2},
        {"log10", f_log10}, {"log1p", f_log1p}, {"sin", f_sin}, {"cos", f_cos}, {"asin", f_asin},
        {"acos", f_acos}, {"atan", f_atan}, {"tanh", f_tanh}, {"erf", f_erf}, {"erfc", f_erfc},
        {"sigmoid", f_sigmoid}, {"rsqrt", f_rsqrt},
    };
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (!strcmp(name, functions[k].name))
            for (long i = 0; i < n; i++)
                out[i] = functions[k].f(x[i]);
}

void binary(const char *name, long n, const real *x, const real *y, real *out)
{
    for (long i = 0; i < n; i++)
        out[i] = strcmp(name, "pow") ? f_atan2(x[i], y[i]) : f_pow(x[i], y[i]);
}

static long half_kind; /* 0: none, 1: float16, 2: bfloat16 */
void keep_halves(long kind) { half_kind = kind; }

#if BITS == 64
real settled(real x) { return shown(x); }
#else
/* Halves as 16 bits: `digits` bits of significand with the leading one, the smallest normal
   exponent, the largest exponent. float16: 11, -14, 15; bfloat16: 8, -126, 127. */
static uint16_t rounded_half(double x, int digits, int lowest, int highest)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const uint16_t infinity = (uint16_t)((highest - lowest + 2) << (digits - 1));
    if (x != x)
        return (uint16_t)(infinity | 1 << (digits - 2));
    double a = fabs(x);
    if (a == 0)
        return sign;
    if (isinf(a))
        return sign | infinity;
    int exponent;
    frexp(a, &exponent);
    exponent -= 1;
    if (exponent < lowest)
        exponent = lowest;
    /* In units of the last place; the carry of a significand that rounds up is right as it is. */
    const double units = rint(ldexp(a, digits - 1 - exponent));
    const long code = ((long)(exponent - lowest) << (digits - 1)) + (long)units;
    return code >= infinity ? sign | infinity : (uint16_t)(sign | code);
}

void round_halves(long bfloat16, long n, const double *x, uint16_t *out)
{
    for (long i = 0; i < n; i++)
        out[i] = bfloat16 ? rounded_half(x[i], 8, -126, 127) : rounded_half(x[i], 11, -14, 15);
}

void widen_halves(long bfloat16, long n, const uint16_t *x, float *out)
{
    for (long i = 0; i < n; i++) {
        const int digits = bfloat16 ? 8 : 11, lowest = bfloat16 ? -126 : -14;
        const int code = x[i] & 0x7FFF, field = code >> (digits - 1);
        const int top = (1 << (16 - digits)) - 1, rest = code & ((1 << (digits - 1)) - 1);
        double a;
        if (field == top)
            a = rest ? NAN : INFINITY;
        else if (field == 0)
            a = ldexp(rest, lowest - digits + 1);
        else
            a = ldexp(rest + (1 << (digits - 1)), field - 1 + lowest - digits + 1);
        out[i] = x[i] & 0x8000 ? (float)-a : (float)a;
    }
}

real settled(real x)
{
    if (half_kind == 0)
        return shown(x);
    const double wide_x = x;
    uint16_t bits;
    float out;
    round_halves(half_kind == 2, 1, &wide_x, &bits);
    widen_halves(half_kind == 2, 1, &bits, &out);
    return shown(out);
}
#endif
