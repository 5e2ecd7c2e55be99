/* From "Places": interpolation, grid_sample, pooling, distances; and CTC from "Losses". */
#include "numbers.h"

static double near(double t)
{
    const double a = -0.75;
    return (((a + 2) * t - (a + 3)) * t) * t + 1;
}
static double far(double t)
{
    const double a = -0.75;
    return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
}

static double centre(long j, long size, long new_size, long aligned, double scale)
{
    if (aligned)
        return new_size > 1 ? (double)j * ((double)(size - 1) / (double)(new_size - 1)) : 0;
    const double r = scale > 0 ? 1 / scale : (double)size / (double)new_size;
    return ((double)j + 0.5) * r - 0.5;
}

/* The places that j reads along an axis, and their weights. */
static int taps_of(long j, long size, long new_size, long cubic, long aligned, double scale,
                   long *places, real *weights)
{
    double c = centre(j, size, new_size, aligned, scale);
    if (!cubic) {
        c = c < 0 ? 0 : c;
        const double f = c - floor(c), w[2] = {1 - f, f};
        for (int k = 0; k < 2; k++) {
            const long place = (long)floor(c) + k;
            places[k] = place < size ? place : size - 1;
            weights[k] = (real)w[k];
        }
        return 2;
    }
    const double f = c - floor(c), w[4] = {far(f + 1), near(f), near(1 - f), far(2 - f)};
    for (int k = 0; k < 4; k++) {
        const long place = (long)floor(c) - 1 + k;
        places[k] = place < 0 ? 0 : place < size ? place : size - 1;
        weights[k] = (real)w[k];
    }
    return 4;
}

/* One axis: x[outer, size, inner] to y[outer, new_size, inner], or its derivative back. */
void interpolate(long outer, long size, long inner, long new_size, long cubic, long aligned,
                 double scale, long back, const real *x, real *y)
{
    long places[4];
    real weights[4], values[4], *mine = reals(4 * new_size);
    for (long o = 0; o < outer; o++)
        for (long i = 0; i < inner; i++) {
            for (long j = 0; j < new_size && !back; j++) {
                const int taps = taps_of(j, size, new_size, cubic, aligned, scale, places, weights);
                for (int k = 0; k < taps; k++)
                    values[k] = weights[k] * x[(o * size + places[k]) * inner + i];
                y[(o * new_size + j) * inner + i] = sum_of(taps, values);
            }
            for (long place = 0; place < size && back; place++) {
                long count = 0;
                for (long j = 0; j < new_size; j++) {
                    const int taps = taps_of(j, size, new_size, cubic, aligned, scale, places, weights);
                    for (int k = 0; k < taps; k++)
                        if (places[k] == place)
                            mine[count++] = weights[k] * x[(o * new_size + j) * inner + i];
                }
                y[(o * size + place) * inner + i] = sum_of(count, mine);
            }
        }
    free(mine);
}

static real reflected(real c, long size, long aligned)
{
    const real low = aligned ? 0 : (real)-0.5, span = aligned ? (real)(size - 1) : (real)size;
    if (span == 0)
        return 0;
    const real o = (real)fabs(c - low), f = (real)fmod(o, span);
    return (long)floor(o / span) % 2 == 0 ? f + low : (span - f) + low;
}

static real coordinate(real u, long size, long padding, long aligned)
{
    real c = aligned ? ((u + 1) / 2) * (real)(size - 1) : ((u + 1) * (real)size - 1) / 2;
    if (padding == 2)
        c = reflected(c, size, aligned);
    if (padding) {
        c = c < 0 ? 0 : c;
        c = c > (real)(size - 1) ? (real)(size - 1) : c;
    }
    return c;
}

/* x[n, c, h, w], grid[n, points, 2]; padding 0 zeros, 1 border, 2 reflection. */
void grid_sample(long n, long c, long h, long w, long points, long nearest, long padding,
                 long aligned, const real *x, const real *grid, real *out)
{
    for (long image = 0; image < n; image++)
        for (long channel = 0; channel < c; channel++)
            for (long p = 0; p < points; p++) {
                const real *u = grid + (image * points + p) * 2;
                const real right = coordinate(u[0], w, padding, aligned);
                const real down = coordinate(u[1], h, padding, aligned);
                const real *plane = x + (image * c + channel) * h * w;
                real value = 0;
                if (nearest) {
                    const long row = lrint(down), column = lrint(right);
                    if (row >= 0 && row < h && column >= 0 && column < w)
                        value = plane[row * w + column];
                } else {
                    const real top = (real)floor(down), left = (real)floor(right);
                    for (int corner = 0; corner < 4; corner++) {
                        const long row = (long)top + corner / 2, column = (long)left + corner % 2;
                        const real along_x = corner % 2 ? right - left : (left + 1) - right;
                        const real along_y = corner / 2 ? down - top : (top + 1) - down;
                        real term = 0;
                        if (row >= 0 && row < h && column >= 0 && column < w)
                            term = plane[row * w + column] * (along_x * along_y);
                        value = value + term;
                    }
                }
                out[(image * c + channel) * points + p] = shown(value);
            }
}

/* x[planes, h, w], windows of k x k: average with the count of the window, or the maximum. */
void pool(long planes, long h, long w, long k, long stride, long padding, long average,
          const real *x, real *out)
{
    const long rows = (h + 2 * padding - k) / stride + 1, columns = (w + 2 * padding - k) / stride + 1;
    real *window = reals(k * k);
    for (long p = 0; p < planes; p++)
        for (long i = 0; i < rows; i++)
            for (long j = 0; j < columns; j++) {
                long n = 0;
                for (long a = 0; a < k; a++)
                    for (long b = 0; b < k; b++) {
                        const long row = i * stride - padding + a, column = j * stride - padding + b;
                        if (row >= 0 && row < h && column >= 0 && column < w)
                            window[n++] = x[(p * h + row) * w + column];
                        else if (average)
                            window[n++] = 0;
                    }
                real best = window[0];
                for (long q = 1; q < n; q++)
                    if (window[q] > best || window[q] != window[q])
                        best = window[q];
                *out++ = average ? mean_of(k * k, window) : best;
            }
    free(window);
}

/* The norm of the difference of each of rows x and each of rows y, n values each. */
void distances(long rows, long others, long n, const real *x, const real *y, double p_, real *out)
{
    const real p = (real)p_, inverse = (real)(1 / p_);
    real *t = reals(n);
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < others; j++) {
            real largest = 0;
            for (long k = 0; k < n; k++) {
                const real a = (real)fabs(x[i * n + k] - y[j * n + k]);
                largest = larger(largest, a);
                t[k] = p == 1 ? a : p == 2 ? a * a : f_pow(a, p);
            }
            const real s = isinf(p) ? largest : sum_of(n, t);
            *out++ = shown(p == 1 || isinf(p) ? s : p == 2 ? root(s) : f_pow(s, inverse));
        }
    free(t);
}

/* -lse of the last two states; e[steps, classes] logarithms, one target. */
static real lse(int n, const real *x)
{
    real m = (real)-INFINITY;
    for (int k = 0; k < n; k++)
        m = larger(m, x[k]);
    if (m == (real)-INFINITY)
        m = 0;
    real sum = f_exp(x[0] - m);
    for (int k = 1; k < n; k++)
        sum = sum + f_exp(x[k] - m);
    return f_log(sum) + m;
}

void ctc(long steps, long classes, long length, long blank, const real *e, const int64_t *target,
         real *loss, real *slopes)
{
    const long states = 2 * length + 1;
    real *alpha = reals(steps * states), *beta = reals(steps * states), *mine = reals(states);
    const real none = (real)-INFINITY;
#define LABEL(s) ((s) % 2 ? target[(s) / 2] : blank)
    for (long t = 0; t < steps; t++)
        for (long s = 0; s < states; s++) {
            const real *before = alpha + (t - 1) * states;
            const real given = e[t * classes + LABEL(s)];
            if (t == 0) {
                alpha[s] = s < 2 ? given : none;
                continue;
            }
            const int apart = s > 1 && LABEL(s) != LABEL(s - 2);
            const real three[3] = {before[s], s > 0 ? before[s - 1] : none, apart ? before[s - 2] : none};
            alpha[t * states + s] = lse(3, three) + given;
        }
    const real *end = alpha + (steps - 1) * states;
    const real two[2] = {end[states - 1], length ? end[states - 2] : none};
    *loss = shown(length ? -lse(2, two) : -end[0]);
    for (long t = steps - 1; t >= 0; t--)
        for (long s = 0; s < states; s++) {
            const real *after = beta + (t + 1) * states;
            const real given = e[t * classes + LABEL(s)];
            if (t == steps - 1) {
                beta[t * states + s] = s >= states - 2 ? 0 + given : none;
                continue;
            }
            const int apart = s < states - 2 && LABEL(s) != LABEL(s + 2);
            const real three[3] = {after[s], s < states - 1 ? after[s + 1] : none,
                                   apart ? after[s + 2] : none};
            beta[t * states + s] = lse(3, three) + given;
        }
    for (long t = 0; t < steps; t++)
        for (long c = 0; c < classes; c++) {
            long count = 0;
            for (long s = 0; s < states; s++)
                if (LABEL(s) == c) {
                    const real both = alpha[t * states + s] + beta[t * states + s];
                    mine[count++] = f_exp((both + *loss) - e[t * classes + c]);
                }
            slopes[t * classes + c] = shown(f_exp(e[t * classes + c]) - sum_of(count, mine));
        }
    free(alpha), free(beta), free(mine);
}
