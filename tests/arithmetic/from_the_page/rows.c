/* "Rows": softmax, normalisation, attention, with their derivatives. */
#include "numbers.h"

static real maximum_of(long n, const real *x)
{
    real m = (real)-INFINITY;
    for (long i = 0; i < n; i++)
        m = larger(m, x[i]);
    return m;
}

void softmax_row(long n, const real *x, real *y)
{
    const real m = maximum_of(n, x);
    for (long i = 0; i < n; i++)
        y[i] = f_exp(x[i] - m);
    const real sum = sum_of(n, y);
    for (long i = 0; i < n; i++)
        y[i] = shown(y[i] / sum);
}

void log_softmax_row(long n, const real *x, real *y)
{
    const real m = maximum_of(n, x);
    for (long i = 0; i < n; i++)
        y[i] = f_exp(x[i] - m);
    const real logarithm = f_log(sum_of(n, y));
    for (long i = 0; i < n; i++)
        y[i] = shown((x[i] - m) - logarithm);
}

static void softmax_derivative(long n, const real *g, const real *y, real *out)
{
    real *t = reals(n);
    for (long i = 0; i < n; i++)
        t[i] = g[i] * y[i];
    const real sum = sum_of(n, t);
    for (long i = 0; i < n; i++)
        out[i] = shown(y[i] * (g[i] - sum));
    free(t);
}

void softmax(long logarithm, long rows, long n, const real *x, real *y)
{
    for (long r = 0; r < rows; r++)
        (logarithm ? log_softmax_row : softmax_row)(n, x + r * n, y + r * n);
}

void softmax_backward(long logarithm, long rows, long n, const real *g, const real *y, real *out)
{
    for (long r = 0; r < rows; r++, g += n, y += n, out += n) {
        if (!logarithm) {
            softmax_derivative(n, g, y, out);
            continue;
        }
        const real sum = sum_of(n, g);
        for (long i = 0; i < n; i++)
            out[i] = shown(g[i] - f_exp(y[i]) * sum);
    }
}

/* Values x[image, channel, place]. A group is a channel of all images (groups = 0), or the
   channels / groups channels of an image. A layer norm has one group and one place. */
typedef struct { long images, channels, places, groups; } shape;

static long number_of_groups(shape s) { return s.groups ? s.images * s.groups : s.channels; }
static long group_size(shape s)
{
    return s.groups ? s.channels / s.groups * s.places : s.images * s.places;
}
static long place_of(shape s, long group, long i)
{
    if (s.groups)
        return group * group_size(s) + i;
    return (i / s.places * s.channels + group) * s.places + i % s.places;
}
static long channel_of(shape s, long place) { return place / s.places % s.channels; }

/* Writes the means, the variances and 1 / root of each group as well. */
void normalise(long images, long channels, long places, long groups, const real *x, const real *w,
               const real *b, double epsilon, real *out, real *mean, real *variance, real *inverse)
{
    const shape s = {images, channels, places, groups};
    const long n = group_size(s);
    real *y = reals(n);
    for (long g = 0; g < number_of_groups(s); g++) {
        for (long i = 0; i < n; i++)
            y[i] = x[place_of(s, g, i)];
        const real m = mean_of(n, y);
        for (long i = 0; i < n; i++)
            y[i] = (y[i] - m) * (y[i] - m);
        const real v = mean_of(n, y), r = f_rsqrt(v + (real)epsilon);
        for (long i = 0; i < n; i++) {
            const long at = place_of(s, g, i), channel = channel_of(s, at);
            real value = (x[at] - m) * r;
            if (w)
                value = value * w[channel];
            if (b)
                value = value + b[channel];
            out[at] = shown(value);
        }
        mean[g] = m;
        variance[g] = v;
        inverse[g] = r;
    }
    free(y);
}

void normalise_backward(long images, long channels, long places, long groups, const real *gradient,
                        const real *x, const real *w, const real *mean, const real *inverse,
                        real *dx, real *dw, real *db)
{
    const shape s = {images, channels, places, groups};
    const long n = group_size(s), all = images * channels * places;
    real *h = reals(n), *t = reals(n), *u = reals(all), *gu = reals(images * places);
    for (long g = 0; g < number_of_groups(s); g++) {
        const real m = mean[g], r = inverse[g];
        for (long i = 0; i < n; i++) {
            const long at = place_of(s, g, i);
            h[i] = w ? gradient[at] * w[channel_of(s, at)] : gradient[at];
            u[at] = (x[at] - m) * r;
            t[i] = h[i] * u[at];
        }
        const real first = mean_of(n, h), second = mean_of(n, t);
        for (long i = 0; i < n; i++) {
            const long at = place_of(s, g, i);
            dx[at] = shown(r * ((h[i] - first) - u[at] * second));
        }
    }
    const shape by_channel = {images, channels, places, 0};
    for (long c = 0; c < channels; c++) {
        const long count = images * places;
        for (long i = 0; i < count; i++)
            gu[i] = gradient[place_of(by_channel, c, i)] * u[place_of(by_channel, c, i)];
        dw[c] = sum_of(count, gu);
        for (long i = 0; i < count; i++)
            gu[i] = gradient[place_of(by_channel, c, i)];
        db[c] = sum_of(count, gu);
    }
    free(h), free(t), free(u), free(gu);
}

/* One head: q[l, e], k[s, e], v[s, d]; mask and dropout's factors [l, s] or absent. */
typedef struct { long l, s, e, d; } head;
void matmul(long, long, long, const real *, long, long, const real *, long, long, real *);

static void attention_weights(head a, const real *q, const real *k, const real *mask, real scale,
                              real *p)
{
    matmul(a.l, a.s, a.e, q, a.e, 1, k, 1, a.e, p);
    for (long i = 0; i < a.l * a.s; i++)
        p[i] = mask ? mask[i] + scale * p[i] : scale * p[i];
    for (long l = 0; l < a.l; l++) {
        real *row = p + l * a.s;
        if (maximum_of(a.s, row) == (real)-INFINITY)
            for (long j = 0; j < a.s; j++)
                row[j] = 0;
        else
            softmax_row(a.s, row, row);
    }
}

static void times(long n, const real *x, const real *factors, real *out)
{
    for (long i = 0; i < n; i++)
        out[i] = factors ? x[i] * factors[i] : x[i];
}

void attention(long heads, long l, long s, long e, long d, const real *q, const real *k,
               const real *v, const real *mask, const real *factors, double scale_, real *out)
{
    const head a = {l, s, e, d};
    real *p = reals(l * s);
    for (long h = 0; h < heads; h++) {
        attention_weights(a, q + h * l * e, k + h * s * e, mask ? mask + h * l * s : NULL,
                          (real)scale_, p);
        times(l * s, p, factors ? factors + h * l * s : NULL, p);
        matmul(l, d, s, p, s, 1, v + h * s * d, d, 1, out + h * l * d);
    }
    free(p);
}

void attention_backward(long heads, long l, long s, long e, long d, const real *gradient,
                        const real *q, const real *k, const real *v, const real *mask,
                        const real *factors, double scale_, real *dq, real *dk, real *dv, real *dm)
{
    const head a = {l, s, e, d};
    const real scale = (real)scale_;
    real *p = reals(l * s), *dropped = reals(l * s), *t = reals(l * s);
    for (long h = 0; h < heads; h++) {
        const real *g = gradient + h * l * d, *qh = q + h * l * e, *kh = k + h * s * e;
        const real *f = factors ? factors + h * l * s : NULL;
        attention_weights(a, qh, kh, mask ? mask + h * l * s : NULL, scale, p);
        times(l * s, p, f, dropped);
        matmul(s, d, l, dropped, 1, s, g, d, 1, dv + h * s * d);
        matmul(l, s, d, g, d, 1, v + h * s * d, 1, d, t);
        times(l * s, t, f, t);
        for (long i = 0; i < l; i++)
            softmax_derivative(s, t + i * s, p + i * s, t + i * s);
        memcpy(dm + h * l * s, t, (size_t)(l * s) * sizeof *t);
        matmul(l, e, s, t, s, 1, kh, e, 1, dq + h * l * e);
        matmul(s, e, l, t, 1, s, qh, e, 1, dk + h * s * e);
    }
    for (long i = 0; i < heads * l * e; i++)
        dq[i] = shown(scale * dq[i]);
    for (long i = 0; i < heads * s * e; i++)
        dk[i] = shown(scale * dk[i]);
    free(p), free(dropped), free(t);
}
