/* "Products", "Sums" and "Running sums": three levels, lanes and a tree, blocks of 64. */
#include "numbers.h"

real product_of(long n, const real *x, const real *y)
{
    real total = 0, group = 0;
    long chains = 0, groups = 0;
    for (long begin = 0; begin < n; begin += 256) {
        real s = 0;
        for (long p = begin; p < n && p < begin + 256; p++)
            s = fused(x[p], y[p], s);
        group = chains == 0 ? s : group + s;
        chains++;
        if (chains == 16 || begin + 256 >= n) {
            total = groups == 0 ? group : total + group;
            groups++;
            chains = 0;
        }
    }
    return shown(total);
}

static real block_sum(long n, const real *x)
{
    real lane[64] = {0};
    for (long i = 0; i < n; i++)
        lane[i % 64] += x[i];
    for (int half = 32; half >= 1; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

real sum_of(long n, const real *x)
{
    if (n <= 4096)
        return shown(block_sum(n, x));
    const long blocks = (n + 4095) / 4096;
    real *sums = reals(blocks);
    for (long b = 0; b < blocks; b++)
        sums[b] = block_sum(b + 1 < blocks ? 4096 : n - 4096 * b, x + 4096 * b);
    const real total = sum_of(blocks, sums);
    free(sums);
    return total;
}

real mean_of(long n, const real *x) { return shown(sum_of(n, x) / (real)n); }

/* c = a b, with (i, p) of a at i * ai + p * ap and (p, j) of b at p * bp + j * bj. */
void matmul(long rows, long columns, long depth, const real *a, long ai, long ap, const real *b,
            long bp, long bj, real *c)
{
    real *x = reals(depth), *y = reals(depth);
    for (long i = 0; i < rows; i++) {
        for (long p = 0; p < depth; p++)
            x[p] = a[i * ai + p * ap];
        for (long j = 0; j < columns; j++) {
            for (long p = 0; p < depth; p++)
                y[p] = b[p * bp + j * bj];
            c[i * columns + j] = product_of(depth, x, y);
        }
    }
    free(x);
    free(y);
}

/* beta c + alpha (a b), of a product that stands in `ab`. */
void addmm(long n, const real *c, const real *ab, double beta_, double alpha_, real *out)
{
    const real alpha = (real)alpha_, beta = (real)beta_;
    for (long i = 0; i < n; i++) {
        const real scaled = alpha == 1 ? ab[i] : alpha * ab[i];
        out[i] = shown(beta == 0 ? scaled : (beta == 1 ? c[i] : beta * c[i]) + scaled);
    }
}

/* x * (bound / (norm + 1e-7)) where the norm of a row is above the bound. */
void renorm(long rows, long n, const real *x, double bound, real *out)
{
    real *y = reals(n);
    for (long r = 0; r < rows; r++, x += n, out += n) {
        for (long i = 0; i < n; i++)
            y[i] = x[i] * x[i];
        const real norm = root(sum_of(n, y));
        const real factor = (1 / (norm + (real)1e-7)) * (real)bound;
        for (long i = 0; i < n; i++)
            out[i] = shown(norm > (real)bound ? x[i] * factor : x[i]);
    }
    free(y);
}

/* One result a row of n values. */
void reduce(const char *what, long rows, long n, const real *x, double correction, real *out)
{
    real *y = reals(n);
    for (long r = 0; r < rows; r++, x += n) {
        if (!strcmp(what, "sum"))
            out[r] = sum_of(n, x);
        if (!strcmp(what, "mean"))
            out[r] = mean_of(n, x);
        if (!strcmp(what, "var") || !strcmp(what, "std")) {
            const real m = mean_of(n, x);
            for (long i = 0; i < n; i++)
                y[i] = (x[i] - m) * (x[i] - m);
            const double count = (double)n - correction;
            out[r] = shown(sum_of(n, y) / (real)(count > 0 ? count : 0));
            if (!strcmp(what, "std"))
                out[r] = shown(root(out[r]));
        }
        if (!strcmp(what, "norm 1") || !strcmp(what, "norm 2") || !strcmp(what, "norm p")) {
            const char order = what[5];
            const real p = (real)correction, inverse = (real)(1 / correction);
            for (long i = 0; i < n; i++) {
                const real a = (real)fabs(x[i]);
                y[i] = order == '1' ? a : order == '2' ? x[i] * x[i] : f_pow(a, p);
            }
            const real s = sum_of(n, y);
            out[r] = shown(order == '1' ? s : order == '2' ? root(s) : f_pow(s, inverse));
        }
        if (!strcmp(what, "logsumexp")) {
            real m = (real)-INFINITY;
            for (long i = 0; i < n; i++)
                m = larger(m, x[i]);
            if (isinf(m))
                m = 0;
            for (long i = 0; i < n; i++)
                y[i] = f_exp(x[i] - m);
            out[r] = shown(f_log(sum_of(n, y)) + m);
        }
        if (!strcmp(what, "max")) {
            out[r] = (real)-INFINITY;
            for (long i = 0; i < n; i++)
                out[r] = larger(out[r], x[i]);
            if (out[r] == 0)
                out[r] = 0;
        }
    }
    free(y);
}

/* prod: a sum in binary64 with x in place of + and 1 in place of +0. */
static double block_product(long n, const double *x)
{
    double lane[64];
    for (int l = 0; l < 64; l++)
        lane[l] = 1;
    for (long i = 0; i < n; i++)
        lane[i % 64] *= x[i];
    for (int half = 32; half >= 1; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] *= lane[l + half];
    return lane[0];
}

void prod(long n, const real *x, double *out)
{
    double *values = malloc((size_t)(n + 1) * sizeof *values);
    for (long i = 0; i < n; i++)
        values[i] = x[i];
    do {
        const long blocks = n > 4096 ? (n + 4095) / 4096 : 1;
        for (long b = 0; b < blocks; b++)
            values[b] = block_product(b + 1 < blocks ? 4096 : n - 4096 * b, values + 4096 * b);
        n = blocks;
    } while (n > 1);
    *out = values[0]; /* to be rounded to the dtype, a half too */
    free(values);
}

/* Running sums. A pair for logcumsumexp; the others use `s` alone. */
typedef struct { real m; double s; } pair;

static pair combine(char kind, pair before, pair x)
{
    pair result = {0, 0};
    if (kind == '+')
        result.s = before.s + x.s;
    else if (kind == '*')
        result.s = before.s * x.s;
    else {
        const pair high = before.m > x.m ? before : x, low = before.m > x.m ? x : before;
        const real difference = low.m == high.m ? 0 : low.m - high.m;
        result.m = high.m;
        result.s = (double)f_exp(difference) * low.s + high.s;
    }
    return result;
}

static void scan(char kind, long n, pair *x)
{
    const long blocks = (n + 63) / 64;
    for (long b = 0; b < blocks; b++) {
        pair *block = x + 64 * b;
        const long size = n - 64 * b < 64 ? n - 64 * b : 64;
        for (long d = 1; d <= 32; d *= 2)
            for (long i = 0; i < size; i++)
                if (i & d)
                    block[i] = combine(kind, block[2 * d * (i / (2 * d)) + d - 1], block[i]);
    }
    pair *totals = malloc((size_t)(blocks + 1) * sizeof *totals);
    totals[0] = (pair){(real)-INFINITY, kind == '*' ? 1 : 0};
    for (long b = 0; b < blocks; b++)
        totals[b + 1] = x[64 * b + 63 < n ? 64 * b + 63 : n - 1];
    if (blocks > 1)
        scan(kind, blocks, totals + 1);
    for (long i = 0; i < n; i++)
        x[i] = combine(kind, totals[i / 64], x[i]);
    free(totals);
}

/* kind: "+" cumsum, "*" cumprod, "l" logcumsumexp. To be rounded to the dtype, a half too. */
void running(const char *kind, long n, const real *x, double *out)
{
    pair *pairs = malloc((size_t)(n + 1) * sizeof *pairs);
    for (long i = 0; i < n; i++)
        pairs[i] = *kind == 'l' ? (pair){x[i], 1} : (pair){0, x[i]};
    scan(*kind, n, pairs);
    for (long i = 0; i < n; i++)
        out[i] = *kind == 'l' ? f_log((real)pairs[i].s) + pairs[i].m : pairs[i].s;
    free(pairs);
}
