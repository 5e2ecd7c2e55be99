/* "Element by element": a row of the page's table each. x, y, z are operands, s its numbers. */
#include "numbers.h"

#define HALF ((real)0.5)
#define C1 INEXACT(3F3504F3, 3FE6A09E667F3BCD)
#define C2 INEXACT(3ECC422A, 3FD9884533D43651)
#define C3 INEXACT(3F4C422A, 3FE9884533D43651)
#define C4 (BITS == 32 ? (real)from_bits32(0x3D372713) : (real)0.044715)
#define ROW(name, value)                                                \
    static real name(real x, real y, real z, const double *numbers)     \
    {                                                                   \
        const real s[3] = {(real)numbers[0], (real)numbers[1], (real)numbers[2]}; \
        (void)y, (void)z, (void)s;                                      \
        return value;                                                   \
    }

static real size(real x) { return (real)fabs((double)x); }
static real signed_as(real value, real x) { return (real)copysign((double)value, (double)x); }
static real mod(real x, real y) { return BITS == 32 ? (real)fmodf((float)x, (float)y) : (real)fmod(x, y); }
static real clamped(real x, real low, real high)
{
    if (x < low)
        x = low;
    return x > high ? high : x;
}
static real tanh_gelu_u(real x) { return C3 * (x + C4 * ((x * x) * x)); }
static real tanh_gelu_slope(real g, real y)
{
    const real t = f_tanh(tanh_gelu_u(y)), i = C3 * (1 + (3 * C4) * (y * y));
    return g * (HALF * (1 + t) + (HALF * y) * ((1 - t * t) * i));
}
static real silu_slope(real g, real y)
{
    const real p = f_sigmoid(y);
    return g * (p * (1 + y * (1 - p)));
}
static real mish_slope(real g, real x)
{
    const real t = f_tanh(f_log1p(f_exp(x)));
    return g * (t + (x * f_sigmoid(x)) * (1 - t * t));
}
static real sinh_of(real x)
{
    const real a = size(x), u = f_expm1(a), h = f_exp(a * HALF);
    return signed_as(a <= 1 ? (u + u / (u + 1)) * HALF : ((h * HALF) * h) - ((HALF / h) / h), x);
}
static real cosh_of(real x)
{
    const real h = f_exp(size(x) * HALF);
    return ((h * HALF) * h) + ((HALF / h) / h);
}
static real asinh_of(real x)
{
    const real a = size(x), q = a * a;
    return signed_as(a >= (real)1e9 ? f_log(a) + (real)log(2)
                                    : f_log1p(a + q / (1 + root(q + 1))), x);
}
static real acosh_of(real x)
{
    const real t = x - 1;
    return x >= (real)1e9 ? f_log(x) + (real)log(2) : f_log1p(t + root(2 * t + t * t));
}
static real hypot_of(real x, real y)
{
    if (isinf(x) || isinf(y))
        return (real)INFINITY;
    if (BITS == 32)
        return (real)sqrt((double)x * x + (double)y * y);
    const real a = larger(size(x), size(y)), b = size(x) > size(y) ? size(y) : size(x);
    const real q = a == 0 ? 0 : b / a;
    return a * root(1 + q * q);
}
static real logaddexp_of(real x, real y)
{
    if (isinf(x) && x == y)
        return x;
    return larger(x, y) + f_log1p(f_exp(-size(x - y)));
}
static real remainder_of(real x, real y)
{
    const real r = mod(x, y);
    return r != 0 && signbit(r) != signbit(y) ? r + y : r;
}
static real floored_quotient(real x, real y)
{
    if (y == 0)
        return x / y;
    const real r = mod(x, y);
    real q = (x - r) / y;
    if (r != 0 && signbit(r) != signbit(y))
        q = q - 1;
    if (q == 0)
        return signed_as(0, x / y);
    const real f = (real)floor(q);
    return q - f > HALF ? f + 1 : f;
}
static real rounded_to(real x, const double *numbers)
{
    const double d = numbers[0];
    const real p = (real)pow(10, fabs(d));
    return d < 0 ? (real)rint(x / p) * p : (real)rint(x * p) / p;
}

ROW(add, x + s[0] * y)
ROW(addcmul, x + s[0] * (y * z))
ROW(addcdiv, x + s[0] * (y / z))
ROW(lerp, size(z) < HALF ? x + z * (y - x) : y - (y - x) * (1 - z))
ROW(maximum, larger(x, y))
ROW(minimum, -larger(-x, -y))
ROW(relu, x > 0 ? x : x != x ? x : 0)
ROW(clamp, clamped(x, s[0], s[1]))
ROW(threshold_backward, y <= s[0] ? 0 : x)
ROW(sigmoid_backward, x * ((1 - y) * y))
ROW(tanh_backward, x * (1 - y * y))
ROW(gelu, (x * HALF) * (1 + f_erf(x * C1)))
ROW(gelu_backward, x * (HALF * (1 + f_erf(y * C1)) + y * (f_exp((y * y) * -HALF) * C2)))
ROW(gelu_tanh, (x * HALF) * (1 + f_tanh(tanh_gelu_u(x))))
ROW(gelu_tanh_backward, tanh_gelu_slope(x, y))
ROW(silu, x * f_sigmoid(x))
ROW(silu_backward, silu_slope(x, y))
ROW(log_sigmoid, (x < 0 ? x : 0) - f_log1p(f_exp(-size(x))))
ROW(log_sigmoid_backward, x * f_sigmoid(-y))
ROW(softplus, s[0] * x > s[1] ? x : f_log1p(f_exp(x * s[0])) / s[0])
ROW(softplus_backward, y * s[0] > s[1] ? x : x * f_sigmoid(y * s[0]))
ROW(elu, x > 0 ? x * s[1] : (f_expm1(x * s[2]) * s[0]) * s[1])
ROW(elu_backward, y > 0 ? x * s[1] : x * (((s[2] * s[0]) * s[1]) * f_exp(y * s[2])))
ROW(elu_backward_of_result, y > 0 ? x * s[1] : x * (s[2] * (y + s[0] * s[1])))
ROW(leaky_relu_backward, y > 0 ? x : x * s[0])
ROW(hardtanh_backward, y <= s[0] || y >= s[1] ? 0 : x)
ROW(prelu_backward, y > 0 ? x : z * x)
ROW(prelu_backward_w, y > 0 ? 0 : y * x)
ROW(leaky_relu, x > 0 ? x : x * s[0])
ROW(hardtanh, clamped(x, s[0], s[1]))
ROW(prelu, x > 0 ? x : y * x)
ROW(glu, x * f_sigmoid(y))
ROW(glu_backward_a, x * f_sigmoid(z))
ROW(glu_backward_b, (((1 - f_sigmoid(z)) * f_sigmoid(z)) * x) * y)
ROW(mish, x * f_tanh(f_log1p(f_exp(x))))
ROW(mish_backward, mish_slope(x, y))
ROW(celu, x > 0 ? x : (f_expm1(x * (1 / s[0])) * s[0]))
ROW(hardswish, (x * clamped(x + 3, 0, 6)) / 6)
ROW(hardswish_backward, y <= -3 ? 0 : y < 3 ? x * (y / 3 + HALF) : x)
ROW(hardsigmoid, clamped(x + 3, 0, 6) / 6)
ROW(hardsigmoid_backward, -3 < y && y < 3 ? x / 6 : 0)
ROW(hardshrink, -s[0] <= x && x <= s[0] ? 0 : x)
ROW(softshrink, x > s[0] ? x - s[0] : x < -s[0] ? x + s[0] : x != x ? x : 0)
ROW(shrink_backward, -s[0] <= y && y <= s[0] ? 0 : x)
ROW(threshold, x <= s[0] ? s[1] : x)
ROW(heaviside, x == 0 ? y : x > 0 ? 1 : 0)
ROW(logit, f_log(x / (1 - x)))
ROW(logit_backward, y >= 0 && y <= 1 ? x / (y * (1 - y)) : the_nan())
ROW(logit_held, f_log(clamped(x, s[0], s[1]) / (1 - clamped(x, s[0], s[1]))))
ROW(logit_held_backward, y >= s[0] && y <= s[1] ? x / (y * (1 - y)) : 0)
ROW(deg2rad, x * (real)(PI / 180))
ROW(rad2deg, x * (real)(180 / PI))
ROW(tangent, f_sin(x) / f_cos(x))
ROW(sinh_, sinh_of(x))
ROW(cosh_, cosh_of(x))
ROW(asinh_, asinh_of(x))
ROW(acosh_, acosh_of(x))
ROW(atanh_, signed_as(f_log1p((2 * size(x)) / (1 - size(x))) * HALF, x))
ROW(sinc, x == 0 ? 1 : f_sin(x * (real)PI) / (x * (real)PI))
ROW(hypot_, hypot_of(x, y))
ROW(logaddexp, logaddexp_of(x, y))
ROW(logaddexp2, larger(x, y) + f_log1p(f_exp2(-size(x - y))) * (1 / (real)log(2)))
ROW(fmod_, mod(x, y))
ROW(remainder_, remainder_of(x, y))
ROW(floor_divide, floored_quotient(x, y))
ROW(truncated, (real)trunc(x / y))
ROW(frac, x - (real)trunc(x))
ROW(round_decimals, rounded_to(x, numbers))
ROW(sign, x > 0 ? 1 : x < 0 ? -1 : x != x ? x : 0)
ROW(entr, x == 0 ? 0 : x < 0 ? (real)-INFINITY : (-x) * f_log(x))
ROW(xlog1py, x == 0 && y == y ? 0 : x * f_log1p(y))
ROW(xlogy, x == 0 && y == y ? 0 : x * settled(f_log(y)))
ROW(ldexp_, x * f_pow(2, y))
ROW(nextmul, x * s[0])
ROW(reciprocal, 1 / x)
ROW(square_root, root(x))

#define ENTRY(name) {#name, name}
void elementwise(const char *name, long n, const real *x, const real *y, const real *z,
                 const double *numbers, real *out)
{
    static const struct {
        const char *name;
        real (*f)(real, real, real, const double *);
    } rows[] = {
        ENTRY(add), ENTRY(addcmul), ENTRY(addcdiv), ENTRY(lerp), ENTRY(maximum), ENTRY(minimum),
        ENTRY(relu), ENTRY(clamp), ENTRY(threshold_backward), ENTRY(sigmoid_backward),
        ENTRY(tanh_backward), ENTRY(gelu), ENTRY(gelu_backward), ENTRY(gelu_tanh),
        ENTRY(gelu_tanh_backward), ENTRY(silu), ENTRY(silu_backward), ENTRY(log_sigmoid),
        ENTRY(log_sigmoid_backward), ENTRY(softplus), ENTRY(softplus_backward), ENTRY(elu),
        ENTRY(leaky_relu), ENTRY(hardtanh), ENTRY(prelu), ENTRY(glu), ENTRY(glu_backward_a),
        ENTRY(elu_backward), ENTRY(elu_backward_of_result), ENTRY(leaky_relu_backward),
        ENTRY(hardtanh_backward), ENTRY(prelu_backward), ENTRY(prelu_backward_w), ENTRY(sign),
        ENTRY(logit_held), ENTRY(logit_held_backward),
        ENTRY(glu_backward_b), ENTRY(mish), ENTRY(mish_backward), ENTRY(celu), ENTRY(hardswish),
        ENTRY(hardswish_backward), ENTRY(hardsigmoid), ENTRY(hardsigmoid_backward),
        ENTRY(hardshrink), ENTRY(softshrink), ENTRY(shrink_backward), ENTRY(threshold),
        ENTRY(heaviside), ENTRY(logit), ENTRY(logit_backward), ENTRY(deg2rad), ENTRY(rad2deg),
        ENTRY(tangent), ENTRY(sinh_), ENTRY(cosh_), ENTRY(asinh_), ENTRY(acosh_), ENTRY(atanh_),
        ENTRY(sinc), ENTRY(hypot_), ENTRY(logaddexp), ENTRY(logaddexp2), ENTRY(fmod_),
        ENTRY(remainder_), ENTRY(floor_divide), ENTRY(truncated), ENTRY(frac),
        ENTRY(round_decimals), ENTRY(entr), ENTRY(xlog1py), ENTRY(xlogy), ENTRY(ldexp_),
        ENTRY(nextmul), ENTRY(reciprocal), ENTRY(square_root),
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(name, rows[k].name)) {
            for (long i = 0; i < n; i++)
                out[i] = shown(rows[k].f(x[i], y ? y[i] : 0, z ? z[i] : 0, numbers));
            return;
        }
    abort();
}
