/* "Complex numbers" and "Spectra". A number is two values that follow each other. */
#include "numbers.h"

typedef struct { real re, im; } number;

static number times(number x, number y)
{
    return (number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
static number plus(number x, number y) { return (number){x.re + y.re, x.im + y.im}; }
static number minus(number x, number y) { return (number){x.re - y.re, x.im - y.im}; }
static number conjugate(number x) { return (number){x.re, -x.im}; }
static number exchanged(number x) { return (number){x.im, x.re}; }
static number *numbers_of(long n) { return calloc((size_t)n + 1, sizeof(number)); }

static number quotient(number x, number y)
{
    double a = x.re, b = x.im, c = y.re, d = y.im;
    if (fabs(d) > fabs(c)) {
        const double a0 = a, c0 = c;
        a = b, b = -a0, c = d, d = -c0;
    }
    const double r = d / c, t = c + d * r;
    return (number){(real)((a + b * r) / t), (real)((b - a * r) / t)};
}

static real magnitude(number x)
{
    const double a = fabs((double)x.re), b = fabs((double)x.im), m = a > b ? a : b;
    if (isinf(a) || isinf(b))
        return (real)INFINITY;
    if (m == 0)
        return 0;
    const double t = (a > b ? b : a) / m;
    return (real)(m * sqrt(t * t + 1));
}

void complex_each(const char *name, long n, const number *x, const number *y, double power,
                  number *out)
{
    for (long i = 0; i < n; i++) {
        number value = {0, 0};
        if (!strcmp(name, "mul"))
            value = times(x[i], y[i]);
        else if (!strcmp(name, "div"))
            value = quotient(x[i], y[i]);
        else if (!strcmp(name, "abs"))
            value = (number){magnitude(x[i]), 0};
        else if (!strcmp(name, "sgn")) {
            const real r = magnitude(x[i]);
            value = r == 0 ? value : (number){x[i].re / r, x[i].im / r};
        } else if (!strcmp(name, "exp")) {
            const real r = f_exp(x[i].re);
            value = (number){r * f_cos(x[i].im), r * f_sin(x[i].im)};
        } else if (!strcmp(name, "pow")) {
            value = power == 0 ? (number){1, 0} : x[i];
            for (int k = 1; k < fabs(power); k++)
                value = times(value, x[i]);
            if (power < 0)
                value = quotient((number){1, 0}, value);
        }
        out[i] = (number){shown(value.re), shown(value.im)};
    }
}

/* w to the power k, each part correctly rounded; a part of 0 is +0. */
static number root_of(long n, long k)
{
    k %= n;
    wide parts[2];
    /* By the eighth of the circle, so that what is exact stays so: angle = 2 pi k / n. */
    for (int part = 0; part < 2; part++) {
        long eighths = 8 * k, whole = n; /* angle in units of pi / 4 is eighths / n */
        long quarter = eighths / (2 * whole), rest = eighths - quarter * 2 * whole;
        int use_sine = part == 1;
        int sign = 1;
        switch (quarter % 4) {
        case 1: sign = part == 0 ? -1 : 1; use_sine = !use_sine; break;
        case 2: sign = -1; break;
        case 3: sign = part == 0 ? 1 : -1; use_sine = !use_sine; break;
        }
        const wide pi = WIDE(acos)((wide)-1);
        const wide angle = pi * rest / (4 * (wide)whole);
        const wide value = use_sine ? (rest == 0 ? 0 : WIDE(sin)(angle)) : WIDE(cos)(angle);
        parts[part] = sign * value;
    }
    number w = {(real)parts[0], (real)-parts[1]};
    if (w.re == 0)
        w.re = 0;
    if (w.im == 0)
        w.im = 0;
    return w;
}

static void transform(long n, long stride, const number *x, number *out);

static void inverse(long n, const number *x, number *out)
{
    number *t = numbers_of(n);
    for (long i = 0; i < n; i++)
        t[i] = exchanged(x[i]);
    transform(n, 1, t, out);
    for (long i = 0; i < n; i++)
        out[i] = exchanged(out[i]);
    free(t);
}

static long radix_of(long n)
{
    if (n % 4 == 0)
        return 4;
    if (n % 2 == 0)
        return 2;
    for (long r = 3; r <= 31; r += 2)
        if (n % r == 0)
            return r;
    return 0;
}

static void odd_radix(long r, const number *z, number *out, long stride)
{
    const long h = (r - 1) / 2;
    number a[16], d[16], sum = z[0];
    for (long q = 1; q <= h; q++) {
        a[q] = plus(z[q], z[r - q]);
        d[q] = minus(z[q], z[r - q]);
        sum = plus(sum, a[q]);
    }
    out[0] = sum;
    for (long s = 1; s <= h; s++) {
        number u = z[0], v = {0, 0};
        for (long q = 1; q <= h; q++) {
            const number w = root_of(r, q * s); /* (cos, -sin) */
            const number sine = {-w.im * d[q].re, -w.im * d[q].im};
            u = plus(u, (number){w.re * a[q].re, w.re * a[q].im});
            v = q == 1 ? sine : plus(v, sine);
        }
        out[stride * s] = (number){u.re + v.im, u.im - v.re};
        out[stride * (r - s)] = (number){u.re - v.im, u.im + v.re};
    }
}

static void bluestein(long n, long stride, const number *x, number *out)
{
    long size = 1;
    while (size < 2 * n - 1)
        size *= 2;
    number *a = numbers_of(size), *b = numbers_of(size), *A = numbers_of(size), *B = numbers_of(size);
    const real scale = 1 / (real)size;
    for (long j = 0; j < n; j++) {
        const number c = root_of(2 * n, j * j % (2 * n));
        a[j] = times(x[j * stride], c);
        b[j] = conjugate(c);
        if (j)
            b[size - j] = conjugate(c);
    }
    transform(size, 1, a, A);
    transform(size, 1, b, B);
    for (long k = 0; k < size; k++)
        A[k] = times(A[k], (number){B[k].re * scale, B[k].im * scale});
    inverse(size, A, B);
    for (long k = 0; k < n; k++)
        out[k] = times(B[k], root_of(2 * n, k * k % (2 * n)));
    free(a), free(b), free(A), free(B);
}

static void transform(long n, long stride, const number *x, number *out)
{
    if (n == 1) {
        out[0] = x[0];
        return;
    }
    const long r = radix_of(n), m = r ? n / r : 0;
    if (!r) {
        bluestein(n, stride, x, out);
        return;
    }
    number *y = numbers_of(n), z[32];
    for (long q = 0; q < r; q++)
        transform(m, stride * r, x + q * stride, y + q * m);
    for (long k = 0; k < m; k++) {
        for (long q = 0; q < r; q++)
            z[q] = q == 0 || k == 0 ? y[q * m + k] : times(y[q * m + k], root_of(n, q * k));
        number *o = out + k;
        if (r == 2) {
            o[0] = plus(z[0], z[1]);
            o[m] = minus(z[0], z[1]);
        } else if (r == 4) {
            const number a = plus(z[0], z[2]), b = minus(z[0], z[2]);
            const number c = plus(z[1], z[3]), d = minus(z[1], z[3]);
            o[0] = plus(a, c);
            o[m] = (number){b.re + d.im, b.im - d.re};
            o[2 * m] = minus(a, c);
            o[3 * m] = (number){b.re - d.im, b.im + d.re};
        } else
            odd_radix(r, z, o, m);
    }
    free(y);
}

/* kind: "f" forward, "i" inverse; "r" of n real numbers; "c" to n real numbers. */
void spectrum(const char *kind, long n, const real *x, double scale, real *out)
{
    number *z = numbers_of(n + 1), *t = numbers_of(n + 1);
    const long h = n / 2;
    number *result = (number *)out;
    long count = 2 * n;
    if (*kind == 'f' || *kind == 'i') {
        (*kind == 'f' ? (void)transform(n, 1, (const number *)x, result)
                      : inverse(n, (const number *)x, result));
    } else if (*kind == 'r' && n % 2) {
        for (long i = 0; i < n; i++)
            z[i] = (number){x[i], 0};
        transform(n, 1, z, t);
        memcpy(result, t, (size_t)(h + 1) * sizeof *t);
        count = 2 * (h + 1);
    } else if (*kind == 'r') {
        transform(h, 1, (const number *)x, z);
        result[0] = (number){z[0].re + z[0].im, 0};
        result[h] = (number){z[0].re - z[0].im, 0};
        for (long k = 1; k < h; k++) {
            const number A = z[k], B = z[h - k];
            const number even = {(A.re + B.re) * (real)0.5, (A.im - B.im) * (real)0.5};
            const number odd = {(A.im + B.im) * (real)0.5, -((A.re - B.re) * (real)0.5)};
            result[k] = plus(even, times(odd, root_of(n, k)));
        }
        count = 2 * (h + 1);
    } else {
        const number *X = (const number *)x;
        count = n;
        if (n % 2) {
            z[0] = (number){X[0].re, 0};
            for (long k = 1; k <= h; k++) {
                z[k] = X[k];
                z[n - k] = conjugate(X[k]);
            }
            inverse(n, z, t);
            for (long i = 0; i < n; i++)
                out[i] = t[i].re;
        } else {
            z[0] = (number){X[0].re + X[h].re, X[0].re - X[h].re};
            for (long k = 1; k < h; k++) {
                const number A = X[k], B = X[h - k];
                const number e = {A.re + B.re, A.im - B.im};
                const number o = times((number){A.re - B.re, A.im + B.im}, conjugate(root_of(n, k)));
                z[k] = (number){e.re - o.im, e.im + o.re};
            }
            inverse(h, z, (number *)out);
        }
    }
    for (long i = 0; i < count; i++)
        out[i] = shown(scale == 1 ? out[i] : out[i] * (real)scale);
    free(z), free(t);
}
