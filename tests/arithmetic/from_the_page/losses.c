/* "Losses". reduction: 0 none, 1 mean, 2 sum; for none g has a value an element. */
#include "numbers.h"

enum { NONE, MEAN, SUM };

static real share(const real *g, int reduction, long i, long n)
{
    return reduction == NONE ? g[i] : reduction == MEAN ? *g / (real)n : *g;
}

static void reduced(int reduction, long n, real *values, real *out)
{
    for (long i = 0; i < n; i++)
        values[i] = shown(values[i]);
    if (reduction == NONE)
        memcpy(out, values, (size_t)n * sizeof *values);
    else
        *out = reduction == SUM ? sum_of(n, values) : mean_of(n, values);
}

static real log_sigmoid(real x) { return (x < 0 ? x : 0) - f_log1p(f_exp((real)-fabs(x))); }
static real held(real x) { return x < -100 ? -100 : x; }
static real sign_of(real x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/* w: one weight an element, or absent; p: the positive weight (beta, delta elsewhere). */
void loss(const char *kind, long reduction, long n, const real *x, const real *y, const real *w,
          const real *p, double number, real *out)
{
    real *values = reals(n);
    const real b = (real)number, minus_half = (real)(-0.5 * number);
    for (long i = 0; i < n; i++) {
        const real d = x[i] - y[i], a = (real)fabs(d);
        if (!strcmp(kind, "mse"))
            values[i] = d * d;
        else if (!strcmp(kind, "smooth l1"))
            values[i] = a < b ? ((a * a) * (real)0.5) / b : a + minus_half;
        else if (!strcmp(kind, "huber"))
            values[i] = a < b ? (a * a) * (real)0.5 : (a + minus_half) * b;
        else if (!strcmp(kind, "soft margin"))
            values[i] = f_log1p(f_exp((-y[i]) * x[i]));
        else if (!strcmp(kind, "bce"))
            values[i] = (y[i] - 1) * held(f_log1p(-x[i])) - y[i] * held(f_log(x[i]));
        else if (p)
            values[i] = (1 - y[i]) * x[i] - log_sigmoid(x[i]) * ((p[i] - 1) * y[i] + 1);
        else
            values[i] = (1 - y[i]) * x[i] - log_sigmoid(x[i]);
        if (w)
            values[i] = values[i] * w[i];
    }
    reduced(reduction, n, values, out);
    free(values);
}

void loss_backward(const char *kind, long reduction, long n, const real *g, const real *x,
                   const real *y, const real *w, double number, real *out)
{
    const real b = (real)number;
    for (long i = 0; i < n; i++) {
        const real d = x[i] - y[i], share_ = share(g, reduction, i, n);
        real value;
        if (!strcmp(kind, "mse"))
            value = (2 * d) * share_;
        else if (!strcmp(kind, "smooth l1"))
            value = (fabs(d) < b ? d / b : sign_of(d)) * share_;
        else if (!strcmp(kind, "huber"))
            value = (d < -b ? -b : d > b ? b : d) * share_;
        else if (!strcmp(kind, "soft margin"))
            value = share_ * ((-y[i]) * f_sigmoid((-y[i]) * x[i]));
        else if (!strcmp(kind, "bce")) {
            const real slope = reduction == NONE ? g[i] : *g, floor = (real)1e-12;
            const real product = (1 - x[i]) * x[i];
            value = (slope * d) / (product < floor ? floor : product);
            if (w)
                value = value * w[i];
            if (reduction == MEAN)
                value = value / (real)n;
        } else
            abort();
        out[i] = shown(value);
    }
}

/* Logarithms x[row, class]; w one weight a class, or absent. */
static real total_weight(long rows, const int64_t *target, const real *w, int64_t ignored)
{
    real *weights = reals(rows);
    long count = 0;
    for (long r = 0; r < rows; r++) {
        weights[r] = target[r] == ignored ? 0 : w ? w[target[r]] : 1;
        count += target[r] != ignored;
    }
    const real sum = w ? sum_of(rows, weights) : (real)count;
    free(weights);
    return sum;
}

/* `total`, the sum of the weights, is a result too: of halves it is rounded before it is used. */
void nll_weight(long rows, const int64_t *target, const real *w, int64_t ignored, real *total)
{
    *total = total_weight(rows, target, w, ignored);
}

void nll(long reduction, long rows, long classes, const real *x, const int64_t *target,
         const real *w, int64_t ignored, real *out)
{
    real *values = reals(rows);
    for (long r = 0; r < rows; r++) {
        if (target[r] == ignored) {
            values[r] = 0;
            continue;
        }
        values[r] = -x[r * classes + target[r]];
        if (w)
            values[r] = values[r] * w[target[r]];
    }
    reduced(reduction == NONE ? NONE : SUM, rows, values, out);
    if (reduction == MEAN)
        *out = shown(*out / total_weight(rows, target, w, ignored));
    free(values);
}

void nll_backward(long reduction, long rows, long classes, const real *g, const int64_t *target,
                  const real *w, int64_t ignored, const real *weight, real *dx)
{
    const real total = reduction == MEAN ? *weight : 1;
    for (long i = 0; i < rows * classes; i++)
        dx[i] = 0;
    for (long r = 0; r < rows; r++)
        if (target[r] != ignored) {
            const real value = (-(reduction == NONE ? g[r] : *g)) / total;
            dx[r * classes + target[r]] = shown(w ? value * w[target[r]] : value);
        }
}
