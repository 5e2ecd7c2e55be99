/* The other rows of "Optimizers", one step over n values; t is the number of the step. */
#include "numbers.h"

static real lerp(real x, real y, real w)
{
    return settled(fabs(w) < 0.5 ? x + w * (y - x) : y - (y - x) * (1 - w));
}
static real scaled_sum(real x, real v, real y) { return settled(x + v * y); }

/* numbers: rate, two factors (beta, or rho, or eta- and eta+), epsilon, decay, one more.
   s: up to two averages an element; kept: what is kept for the whole parameter. */
void step(const char *kind, long n, double t, const double *numbers, real *theta,
          const real *gradient, real *first, real *second, float *kept)
{
    const double rate = numbers[0], beta1 = numbers[1], beta2 = numbers[2], more = numbers[5];
    const real epsilon = (real)numbers[3], decay = (real)numbers[4];
    const double now = beta1 * (1 - 0.5 * pow(0.96, t * more));
    const double next = beta1 * (1 - 0.5 * pow(0.96, (t + 1) * more));
    const int nadam = !strcmp(kind, "NAdam");
    if (nadam)
        kept[0] = kept[0] * (float)now;
    const double pi = kept[0];
    for (long i = 0; i < n; i++) {
        real g = gradient[i];
        if (decay != 0)
            g = scaled_sum(g, decay, theta[i]);
        if (nadam || !strcmp(kind, "RAdam")) {
            first[i] = lerp(first[i], g, (real)(1 - beta1));
            second[i] = scaled_sum(settled(second[i] * (real)beta2), (real)(1 - beta2), g * g);
        }
        if (nadam) {
            const real v = settled(second[i] / (real)(1 - pow(beta2, t)));
            const real d = settled(settled(root(v)) + epsilon);
            theta[i] = settled(theta[i] + (real)(-rate * (1 - now) / (1 - pi)) * (g / d));
            theta[i] = settled(theta[i] + (real)(-rate * next / (1 - pi * next)) * (first[i] / d));
        } else if (!strcmp(kind, "RAdam")) {
            real b = settled(settled(first[i] / (real)(1 - pow(beta1, t))) * (real)rate);
            const double last = 2 / (1 - beta2) - 1;
            const double rho = last - 2 * t * pow(beta2, t) / (1 - pow(beta2, t));
            if (rho > 5) {
                const real d = settled(settled(root(second[i])) + epsilon);
                const real adaptive = settled(settled(1 / d) * (real)sqrt(1 - pow(beta2, t)));
                const double rectified = sqrt((rho - 4) * (rho - 2) * last
                                              / ((last - 4) * (last - 2) * rho));
                b = settled(settled(b * adaptive) * (real)rectified);
            }
            theta[i] = scaled_sum(theta[i], -1, b);
        } else if (!strcmp(kind, "Adamax")) {
            first[i] = lerp(first[i], g, (real)(1 - beta1));
            const real a = settled((real)fabs(g) + epsilon), u = settled(second[i] * (real)beta2);
            second[i] = larger(u, a);
            theta[i] = settled(theta[i] + (real)(-(rate / (1 - pow(beta1, t)))) * (first[i] / second[i]));
        } else if (!strcmp(kind, "Adagrad")) {
            first[i] = settled(first[i] + g * g);
            const real d = settled(settled(root(first[i])) + epsilon);
            theta[i] = settled(theta[i] + (real)(-rate / (1 + (t - 1) * more)) * (g / d));
        } else if (!strcmp(kind, "Adadelta")) {
            first[i] = scaled_sum(settled(first[i] * (real)beta1), (real)(1 - beta1), g * g);
            const real over = settled(root(settled(second[i] + epsilon)));
            const real under = settled(root(settled(first[i] + epsilon)));
            const real d = settled(settled(over / under) * g);
            second[i] = scaled_sum(settled(second[i] * (real)beta1), (real)(1 - beta1), d * d);
            theta[i] = scaled_sum(theta[i], (real)-rate, d);
        } else if (!strcmp(kind, "Rprop")) { /* first: the last g; second: the step */
            const real product = settled(g * first[i]);
            const real f = product > 0 ? (real)beta2 : product < 0 ? (real)beta1 : 1;
            real s = settled((t == 1 ? (real)rate : second[i]) * f);
            s = s < (real)1e-6 ? (real)1e-6 : s > 50 ? 50 : s;
            if (product < 0)
                g = 0;
            theta[i] = scaled_sum(theta[i], -1, settled((real)((g > 0) - (g < 0)) * s));
            first[i] = g;
            second[i] = s;
        } else if (!strcmp(kind, "ASGD")) { /* numbers: lambda, alpha, t0 in beta1, beta2, more */
            const float eta = t == 1 ? (float)rate
                                     : (float)(rate / pow(1 + beta1 * rate * (t - 1), beta2));
            const float mu = t == 1 ? 1 : (float)(1 / fmax(1, (t - 1) - more));
            theta[i] = settled(theta[i] * (real)(1 - beta1 * (double)eta));
            theta[i] = scaled_sum(theta[i], (real)-(double)eta, g);
            first[i] = mu == 1 ? theta[i] : settled(first[i] + settled(settled(theta[i] - first[i]) * (real)mu));
        }
    }
}
