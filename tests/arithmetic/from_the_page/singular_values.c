/* "Singular values": one-sided Jacobi on the rows of R, for m >= n and full rank. */
#include "numbers.h"

#if BITS == 64

void reflections(long m, long n, double *a, double *v, double *tau);
void reflect_all(long m, long k, const double *v, const double *tau, long width, int identity,
                 double *c);

static double product_sum(long n, const double *x, const double *y)
{
    double *t = reals(n);
    for (long i = 0; i < n; i++)
        t[i] = x[i] * y[i];
    const double sum = sum_of(n, t);
    free(t);
    return sum;
}

/* Rows of r are made orthogonal; j begins as the identity and is rotated with them. */
static void jacobi(long n, double *r, double *j)
{
    double *s = reals(n);
    const double bound = 0x1p-52 * sqrt((double)n);
    for (int sweep = 0, rotated = 1; rotated && sweep < 60; sweep++) {
        rotated = 0;
        for (long p = 0; p < n; p++)
            s[p] = product_sum(n, r + p * n, r + p * n);
        for (long p = 0; p < n; p++)
            for (long q = p + 1; q < n; q++) {
                const double g = product_sum(n, r + p * n, r + q * n);
                if (!(fabs(g) > bound * (sqrt(s[p]) * sqrt(s[q]))))
                    continue;
                rotated = 1;
                const double z = (s[q] - s[p]) / (2 * g), square = sqrt(1 + z * z);
                const double t = 1 / (z < 0 ? z - square : z + square);
                const double c = 1 / sqrt(1 + t * t), sine = c * t;
                for (double *a = r; a; a = a == r ? j : NULL)
                    for (long i = 0; i < n; i++) {
                        const double x = a[p * n + i], y = a[q * n + i];
                        a[p * n + i] = c * x - sine * y;
                        a[q * n + i] = sine * x + c * y;
                    }
                const double less = s[p] - t * g;
                s[p] = less > 0 ? less : 0;
                s[q] = s[q] + t * g;
            }
    }
    free(s);
}

/* u[m, n], values[n], vt[n, n] of a[m, n]. */
void singular_values(long m, long n, const double *matrix, double *u, double *values, double *vt)
{
    double *a = reals(m * n), *v = reals(m * n), *j = reals(n * n), *s = reals(n), *r = reals(n * n);
    double *tau = reals(n);
    memcpy(a, matrix, (size_t)(m * n) * sizeof *a);
    reflections(m, n, a, v, tau);
    for (long i = 0; i < n * n; i++) {
        j[i] = i / n == i % n;
        r[i] = a[i];
    }
    jacobi(n, r, j);
    for (long p = 0; p < n; p++)
        s[p] = sqrt(product_sum(n, r + p * n, r + p * n));
    for (long k = 0; k < n; k++) {
        long best = -1;
        for (long p = 0; p < n; p++)
            if (s[p] >= 0 && (best < 0 || s[p] > s[best]))
                best = p;
        values[k] = s[best];
        double largest = 0, sign = 1;
        for (long i = 0; i < n; i++) {
            vt[k * n + i] = r[best * n + i] / s[best];
            if (fabs(vt[k * n + i]) > largest) {
                largest = fabs(vt[k * n + i]);
                sign = vt[k * n + i] < 0 ? -1 : 1;
            }
        }
        s[best] = -1;
        for (long i = 0; i < n; i++)
            vt[k * n + i] = sign * vt[k * n + i];
        for (long i = 0; i < m; i++) /* column k of J transposed, with zeros below */
            u[i * n + k] = i < n ? sign * j[best * n + i] : 0;
    }
    reflect_all(m, n, v, tau, n, 0, u);
    free(a), free(v), free(j), free(s), free(r), free(tau);
}

#endif
