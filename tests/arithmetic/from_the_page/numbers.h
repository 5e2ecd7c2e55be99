/* "Numbers": one text for binary32 and binary64 (compile with -DBITS=32 or -DBITS=64).
   Every result passes through shown(), which gives NaN the pattern of the page. */
#ifndef FROM_THE_PAGE_NUMBERS_H
#define FROM_THE_PAGE_NUMBERS_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A format whose functions have bits to spare, so that rounding once gives the nearest number. */
#if LDBL_MANT_DIG == 113
typedef long double wide;
#define WIDE(function) function##l
#elif defined(__SIZEOF_FLOAT128__)
#include <quadmath.h>
typedef __float128 wide;
#define WIDE(function) function##q
#else
#error "no format of 113 bits"
#endif

#if BITS == 32
typedef float real;
#define INEXACT(bits32, bits64) from_bits32(UINT32_C(0x##bits32))
#else
typedef double real;
#define INEXACT(bits32, bits64) from_bits64(UINT64_C(0x##bits64))
#endif

#define PI 3.14159265358979323846

static inline float from_bits32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double from_bits64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline real the_nan(void) { return INEXACT(7FC00000, 7FF8000000000000); }
static inline real shown(real x) { return x != x ? the_nan() : x; }
static inline real larger(real x, real y) /* NaN wins, of two zeros +0 */
{
    if (x != x || y != y)
        return the_nan();
    return x > y ? x : y > x ? y : x == 0 ? x + y : x;
}
static inline real root(real x) { return BITS == 32 ? (real)sqrtf((float)x) : (real)sqrt(x); }
static inline real fused(real x, real y, real z)
{
    return BITS == 32 ? (real)fmaf((float)x, (float)y, (float)z) : (real)fma(x, y, z);
}

static inline real *reals(long n) { return malloc((size_t)(n ? n : 1) * sizeof(real)); }

/* functions.c */
real settled(real x); /* x as an operation's result: of halves rounded to the half */
real f_exp(real), f_log(real), f_expm1(real), f_log1p(real), f_sin(real), f_cos(real);
real f_tanh(real), f_erf(real), f_erfc(real), f_sigmoid(real), f_rsqrt(real), f_exp2(real), f_pow(real, real);
/* sums.c */
real sum_of(long n, const real *x);
real product_of(long n, const real *x, const real *y);
real mean_of(long n, const real *x);
/* rows.c */
void softmax_row(long n, const real *x, real *y);
void log_softmax_row(long n, const real *x, real *y);
/* random.c */
void words_of(uint64_t key, long n, uint32_t *words);
void dropout_factors(uint64_t key, double p, long n, real *factors);

#endif
