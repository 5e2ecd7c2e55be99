/* "Recurrent layers": one layer in one direction, x[step, row, input], with its derivatives. */
#include "numbers.h"

void matmul(long, long, long, const real *, long, long, const real *, long, long, real *);

typedef struct { long steps, rows, in, hidden, gates; } layer;

/* x W^T + b. */
static void affine(layer s, long in, const real *x, const real *w, const real *b, real *out)
{
    const long wide_ = s.gates * s.hidden;
    matmul(s.rows, wide_, in, x, in, 1, w, 1, in, out);
    for (long i = 0; i < s.rows * wide_; i++) {
        out[i] = settled(out[i]);
        if (b)
            out[i] = settled(b[i % wide_] + out[i]);
    }
}

/* Kept for the derivative, a step: gates[rows, 4 H] after their functions (GRU: r, z, n and
   Hn), and c, h of the states, which begin with the first ones. */
void lstm(long steps, long rows, long in, long hidden, const real *x, const real *w_in,
          const real *w_h, const real *b_in, const real *b_h, real *h, real *c, real *gates)
{
    const layer s = {steps, rows, in, hidden, 4};
    real *X = reals(rows * 4 * hidden), *H = reals(rows * 4 * hidden);
    for (long t = 0; t < steps; t++) {
        const long state = rows * hidden;
        affine(s, in, x + t * rows * in, w_in, b_in, X);
        affine(s, hidden, h + t * state, w_h, b_h, H);
        for (long r = 0; r < rows; r++)
            for (long j = 0; j < hidden; j++) {
                real *kept = gates + ((t * rows + r) * 4) * hidden + j, z[4];
                for (int k = 0; k < 4; k++) {
                    const long at = (r * 4 + k) * hidden + j;
                    z[k] = settled(H[at] + X[at]);
                    kept[k * hidden] = settled(k == 2 ? f_tanh(z[k]) : f_sigmoid(z[k]));
                }
                const long at = t * state + r * hidden + j;
                c[at + state] = settled(settled(kept[hidden] * c[at])
                                        + settled(kept[0] * kept[2 * hidden]));
                h[at + state] = settled(kept[3 * hidden] * settled(f_tanh(c[at + state])));
            }
    }
    free(X), free(H);
}

void gru(long steps, long rows, long in, long hidden, const real *x, const real *w_in,
         const real *w_h, const real *b_in, const real *b_h, real *h, real *gates)
{
    const layer s = {steps, rows, in, hidden, 3};
    real *X = reals(rows * 3 * hidden), *H = reals(rows * 3 * hidden);
    for (long t = 0; t < steps; t++) {
        const long state = rows * hidden;
        affine(s, in, x + t * rows * in, w_in, b_in, X);
        affine(s, hidden, h + t * state, w_h, b_h, H);
        for (long r = 0; r < rows; r++)
            for (long j = 0; j < hidden; j++) {
                real *kept = gates + ((t * rows + r) * 4) * hidden + j;
                const long at = t * state + r * hidden + j, first = r * 3 * hidden + j;
                kept[0] = settled(f_sigmoid(settled(H[first] + X[first])));
                kept[hidden] = settled(f_sigmoid(settled(H[first + hidden] + X[first + hidden])));
                kept[3 * hidden] = H[first + 2 * hidden];
                const real through_reset = settled(kept[3 * hidden] * kept[0]);
                kept[2 * hidden] = settled(f_tanh(settled(X[first + 2 * hidden] + through_reset)));
                h[at + state] = settled(settled(settled(h[at] - kept[2 * hidden]) * kept[hidden])
                                        + kept[2 * hidden]);
            }
    }
    free(X), free(H);
}

static real through_sigmoid(real g, real y) { return settled(g * ((1 - y) * y)); }
static real through_tanh(real g, real y) { return settled(g * (1 - y * y)); }

/* Slopes of X and H, [steps, rows, gates H], to those of everything else but the states. */
static void settle(long n, real *x)
{
    for (long i = 0; i < n; i++)
        x[i] = settled(x[i]);
}

static void weight_slopes(layer s, const real *dX, const real *dH, const real *x, const real *h,
                          const real *w_in, real *dx, real *dw_in, real *db_in, real *dw_h,
                          real *db_h)
{
    const long broad = s.gates * s.hidden, all = s.steps * s.rows, state = s.rows * s.hidden;
    real *column = reals(all), *one = reals(broad * s.hidden);
    matmul(all, s.in, broad, dX, broad, 1, w_in, s.in, 1, dx);
    matmul(broad, s.in, all, dX, 1, broad, x, s.in, 1, dw_in);
    settle(all * s.in, dx);
    settle(broad * s.in, dw_in);
    for (long j = 0; j < broad; j++) {
        for (long i = 0; i < all; i++)
            column[i] = dX[i * broad + j];
        db_in[j] = settled(sum_of(all, column));
    }
    for (long t = s.steps - 1; t >= 0; t--) {
        const real *slopes = dH + t * s.rows * broad;
        matmul(broad, s.hidden, s.rows, slopes, 1, broad, h + t * state, s.hidden, 1, one);
        settle(broad * s.hidden, one);
        for (long i = 0; i < broad * s.hidden; i++)
            dw_h[i] = t == s.steps - 1 ? one[i] : settled(dw_h[i] + one[i]);
        for (long j = 0; j < broad; j++) {
            for (long r = 0; r < s.rows; r++)
                column[r] = slopes[r * broad + j];
            const real sum = settled(sum_of(s.rows, column));
            db_h[j] = t == s.steps - 1 ? sum : settled(db_h[j] + sum);
        }
    }
    free(column), free(one);
}

/* g: slopes of the results [steps, rows, H]; the last states have no other slopes. */
void lstm_backward(long steps, long rows, long in, long hidden, const real *g, const real *x,
                   const real *w_in, const real *w_h, const real *h, const real *c,
                   const real *gates, real *dx, real *dw_in, real *db_in, real *dw_h, real *db_h,
                   real *dh0, real *dc0)
{
    const layer s = {steps, rows, in, hidden, 4};
    const long state = rows * hidden;
    real *dz = reals(steps * rows * 4 * hidden);
    for (long t = steps - 1; t >= 0; t--) {
        for (long r = 0; r < rows; r++)
            for (long j = 0; j < hidden; j++) {
                const real *k = gates + ((t * rows + r) * 4) * hidden + j;
                const real i = k[0], f = k[hidden], u = k[2 * hidden], o = k[3 * hidden];
                real *d = dz + ((t * rows + r) * 4) * hidden + j;
                const long at = r * hidden + j, last = t == steps - 1;
                const real tanh_c = settled(f_tanh(c[(t + 1) * state + at]));
                const real dh = last ? g[t * state + at] : settled(g[t * state + at] + dh0[at]);
                real dc = through_tanh(settled(dh * o), tanh_c);
                if (!last)
                    dc = settled(dc + dc0[at]);
                d[0] = through_sigmoid(settled(dc * u), i);
                d[hidden] = through_sigmoid(settled(dc * c[t * state + at]), f);
                d[2 * hidden] = through_tanh(settled(dc * i), u);
                d[3 * hidden] = through_sigmoid(settled(dh * tanh_c), o);
                dc0[at] = settled(dc * f);
            }
        matmul(rows, hidden, 4 * hidden, dz + t * rows * 4 * hidden, 4 * hidden, 1, w_h, hidden, 1,
               dh0);
        settle(state, dh0);
    }
    weight_slopes(s, dz, dz, x, h, w_in, dx, dw_in, db_in, dw_h, db_h);
    free(dz);
}

void gru_backward(long steps, long rows, long in, long hidden, const real *g, const real *x,
                  const real *w_in, const real *w_h, const real *h, const real *gates, real *dx,
                  real *dw_in, real *db_in, real *dw_h, real *db_h, real *dh0)
{
    const layer s = {steps, rows, in, hidden, 3};
    const long state = rows * hidden, broad = 3 * hidden;
    real *dX = reals(steps * rows * broad), *dH = reals(steps * rows * broad), *direct = reals(state);
    real *product = reals(state);
    for (long t = steps - 1; t >= 0; t--) {
        for (long r = 0; r < rows; r++)
            for (long j = 0; j < hidden; j++) {
                const real *k = gates + ((t * rows + r) * 4) * hidden + j;
                const real reset = k[0], z = k[hidden], n = k[2 * hidden], Hn = k[3 * hidden];
                const long at = r * hidden + j, first = (t * rows + r) * broad + j;
                /* The last use first: the result, then h - n, then the product with W_hh. */
                real dh = g[t * state + at];
                if (t < steps - 1)
                    dh = settled(settled(dh + direct[at]) + product[at]);
                const real through = settled(dh * z), dn = through_tanh(settled(dh + -through), n);
                const real dr = through_sigmoid(settled(dn * Hn), reset);
                const real rest = settled(h[t * state + at] - n);
                const real dz = through_sigmoid(settled(dh * rest), z);
                dX[first] = dH[first] = dr;
                dX[first + hidden] = dH[first + hidden] = dz;
                dX[first + 2 * hidden] = dn;
                dH[first + 2 * hidden] = settled(dn * reset);
                direct[at] = through;
            }
        matmul(rows, hidden, broad, dH + t * rows * broad, broad, 1, w_h, hidden, 1, product);
        settle(state, product);
    }
    for (long i = 0; i < state; i++)
        dh0[i] = settled(direct[i] + product[i]);
    weight_slopes(s, dX, dH, x, h, w_in, dx, dw_in, db_in, dw_h, db_h);
    free(dX), free(dH), free(direct), free(product);
}
