/* "Linear algebra", all of it in binary64. Matrices are row-major. */
#include "numbers.h"

#if BITS == 64

/* Householder's vector of x[0 .. n), whose first value is one; the value beta. */
static double reflector(long n, double *x, double *tau)
{
    double *squares = reals(n);
    for (long i = 1; i < n; i++)
        squares[i - 1] = x[i] * x[i];
    const double s = n > 1 ? sum_of(n - 1, squares) : 0, x0 = x[0];
    free(squares);
    *tau = 0;
    if (s == 0)
        return x0;
    const double r = sqrt(x0 * x0 + s), beta = x0 < 0 ? r : -r;
    *tau = (beta - x0) / beta;
    for (long i = 1; i < n; i++)
        x[i] = x[i] / (x0 - beta);
    x[0] = 1;
    return beta;
}

/* Reflects column `column` of a, from `row` down, by v. */
static void reflect(double *a, long width, long row, long column, long n, const double *v,
                    double tau)
{
    double *c = a + row * width + column;
    double w = c[0];
    for (long i = 1; i < n; i++)
        w = w + v[i] * c[i * width];
    const double t = tau * w;
    c[0] = c[0] - t;
    for (long i = 1; i < n; i++)
        c[i * width] = c[i * width] - v[i] * t;
}

/* a becomes R; v[j] holds reflector j, from row j on, tau[j] its factor. */
void reflections(long m, long n, double *a, double *v, double *tau)
{
    const long k = m < n ? m : n;
    for (long j = 0; j < k; j++) {
        double *x = v + j * m;
        for (long i = j; i < m; i++)
            x[i - j] = a[i * n + j];
        const double beta = reflector(m - j, x, tau + j);
        if (tau[j] == 0)
            continue;
        a[j * n + j] = beta;
        for (long column = j + 1; column < n; column++)
            reflect(a, n, j, column, m - j, x, tau[j]);
    }
    for (long i = 0; i < m; i++)
        for (long j = 0; j < i && j < n; j++)
            a[i * n + j] = 0;
}

/* Q times the columns of c[m, width]; of the identity, columns before a reflection's own stay. */
void reflect_all(long m, long k, const double *v, const double *tau, long width, int identity,
                 double *c)
{
    for (long j = k - 1; j >= 0; j--)
        for (long column = identity ? j : 0; tau[j] != 0 && column < width; column++)
            reflect(c, width, j, column, m - j, v + j * m, tau[j]);
}

void qr(long m, long n, double *a, long width, double *q)
{
    const long k = m < n ? m : n;
    double *v = reals(k * m), *tau = reals(k);
    reflections(m, n, a, v, tau);
    for (long i = 0; i < m; i++)
        for (long j = 0; j < width; j++)
            q[i * width + j] = i == j;
    reflect_all(m, k, v, tau, width, 1, q);
    free(v), free(tau);
}

void lu(long m, long n, double *a, int64_t *pivots)
{
    const long k = m < n ? m : n;
    for (long j = 0; j < k; j++) {
        long pivot = j;
        for (long i = j + 1; i < m; i++)
            if (fabs(a[i * n + j]) > fabs(a[pivot * n + j]))
                pivot = i;
        pivots[j] = pivot;
        for (long l = 0; l < n && pivot != j; l++) {
            const double kept = a[j * n + l];
            a[j * n + l] = a[pivot * n + l];
            a[pivot * n + l] = kept;
        }
        for (long i = j + 1; i < m; i++) {
            if (a[j * n + j] != 0)
                a[i * n + j] = a[i * n + j] / a[j * n + j];
            for (long l = j + 1; l < n; l++)
                a[i * n + l] = a[i * n + l] - a[i * n + j] * a[j * n + l];
        }
    }
}

void cholesky(long n, double *a)
{
    for (long j = 0; j < n; j++) {
        a[j * n + j] = sqrt(a[j * n + j]);
        for (long i = j + 1; i < n; i++)
            a[i * n + j] = a[i * n + j] / a[j * n + j];
        for (long l = j + 1; l < n; l++)
            for (long i = l; i < n; i++)
                a[i * n + l] = a[i * n + l] - a[i * n + j] * a[l * n + j];
        for (long l = j + 1; l < n; l++)
            a[j * n + l] = 0;
    }
}

/* x of a x = b for one column, in place; `upper`: the last unknown stands alone. */
void triangle(long n, const double *a, long upper, long unit, long columns, double *b)
{
    for (long column = 0; column < columns; column++)
        for (long turn = 0; turn < n; turn++) {
            const long j = upper ? n - 1 - turn : turn;
            double *x = b + j * columns + column;
            if (!unit)
                *x = *x / a[j * n + j];
            for (long i = upper ? 0 : j + 1; i < (upper ? j : n); i++)
                b[i * columns + column] = b[i * columns + column] - a[i * n + j] * *x;
        }
}

void solve(long n, const double *matrix, long columns, double *b)
{
    double *a = reals(n * n);
    int64_t *pivots = malloc((size_t)(n + 1) * sizeof *pivots);
    memcpy(a, matrix, (size_t)(n * n) * sizeof *a);
    lu(n, n, a, pivots);
    for (long j = 0; j < n; j++)
        for (long c = 0; c < columns && pivots[j] != j; c++) {
            const double kept = b[j * columns + c];
            b[j * columns + c] = b[pivots[j] * columns + c];
            b[pivots[j] * columns + c] = kept;
        }
    triangle(n, a, 0, 1, columns, b);
    triangle(n, a, 1, 0, columns, b);
    free(a), free(pivots);
}

/* The diagonal of the LU of a transposed, and the sign of the exchanges. */
void determinant_parts(long n, const double *matrix, double *diagonal, double *sign)
{
    double *a = reals(n * n);
    int64_t *pivots = malloc((size_t)(n + 1) * sizeof *pivots);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            a[i * n + j] = matrix[j * n + i];
    lu(n, n, a, pivots);
    *sign = 1;
    for (long j = 0; j < n; j++) {
        diagonal[j] = a[j * n + j];
        if (pivots[j] != j)
            *sign = -*sign;
    }
    free(a), free(pivots);
}

/* Makes the value of the largest magnitude of a vector positive. */
static double sign_for(long n, const double *x, long stride)
{
    double largest = 0, sign = 1;
    for (long i = 0; i < n; i++)
        if (fabs(x[i * stride]) > largest) {
            largest = fabs(x[i * stride]);
            sign = x[i * stride] < 0 ? -1 : 1;
        }
    return sign;
}

static void three_diagonals(long n, double *b, double *d, double *e, double *z)
{
    double *v = reals(n * n), *tau = reals(n), *p = reals(n), *products = reals(n);
    for (long k = 0; k < n - 2; k++) {
        const long size = n - k - 1;
        double *x = v + k * n;
        for (long i = 0; i < size; i++)
            x[i] = b[(k + 1 + i) * n + k];
        e[k] = reflector(size, x, tau + k);
        if (tau[k] == 0)
            continue;
        double *block = b + (k + 1) * n + k + 1;
        for (long j = 0; j < size; j++) {
            double w = block[j];
            for (long i = 1; i < size; i++)
                w = w + x[i] * block[i * n + j];
            p[j] = tau[k] * w;
            products[j] = p[j] * x[j];
        }
        const double factor = (tau[k] * 0.5) * sum_of(size, products);
        for (long j = 0; j < size; j++)
            p[j] = p[j] - factor * x[j];
        for (long i = 0; i < size; i++)
            for (long j = 0; j < size; j++)
                block[i * n + j] = block[i * n + j] - (x[i] * p[j] + p[i] * x[j]);
    }
    for (long i = 0; i < n; i++)
        d[i] = b[i * n + i];
    if (n > 1)
        e[n - 2] = b[(n - 1) * n + n - 2];
    for (long i = 0; i < n * n; i++)
        z[i] = i % n == i / n;
    for (long k = n - 3; k >= 0; k--)
        for (long column = k + 1; tau[k] != 0 && column < n; column++)
            reflect(z, n, k + 1, column, n - k - 1, v + k * n, tau[k]);
    free(v), free(tau), free(p), free(products);
}

void eigenvalues(long n, const double *matrix, double *values, double *vectors)
{
    double *b = reals(n * n), *d = reals(n), *e = reals(n), *z = reals(n * n);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            b[i * n + j] = j <= i ? matrix[i * n + j] : matrix[j * n + i];
    three_diagonals(n, b, d, e, z);
    for (long l = 0; l < n; l++)
        for (int turn = 0; turn < 50; turn++) {
            long m = l;
            for (; m < n - 1; m++)
                if ((fabs(d[m]) + fabs(d[m + 1])) + fabs(e[m]) == fabs(d[m]) + fabs(d[m + 1]))
                    break;
            if (m == l)
                break;
            double g = (d[l + 1] - d[l]) / (2 * e[l]), r = sqrt(g * g + 1);
            g = d[m] - d[l] + e[l] / (g < 0 ? g - r : g + r);
            double s = 1, c = 1, p = 0;
            long i = m - 1;
            for (; i >= l; i--) {
                const double f = s * e[i], q = c * e[i];
                r = sqrt(f * f + g * g);
                e[i + 1] = r;
                if (r == 0) {
                    d[i + 1] = d[i + 1] - p;
                    e[m] = 0;
                    break;
                }
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + (2 * c) * q;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - q;
                for (long row = 0; row < n; row++) {
                    const double x = z[row * n + i], y = z[row * n + i + 1];
                    z[row * n + i] = c * x - s * y;
                    z[row * n + i + 1] = s * x + c * y;
                }
            }
            if (i >= l)
                continue;
            d[l] = d[l] - p;
            e[l] = g;
            e[m] = 0;
        }
    int *taken = calloc((size_t)n + 1, sizeof *taken);
    for (long k = 0; k < n; k++) {
        long least = -1;
        for (long i = 0; i < n; i++)
            if (!taken[i] && (least < 0 || d[i] < d[least]))
                least = i;
        taken[least] = 1;
        values[k] = d[least];
        const double sign = sign_for(n, z + least, n);
        for (long row = 0; row < n; row++)
            vectors[row * n + k] = sign * z[row * n + least];
    }
    free(b), free(d), free(e), free(z), free(taken);
}

#endif
