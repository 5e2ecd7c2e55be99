/* "Optimizers": one step over n values. Numbers in brackets on the page are binary64 here. */
#include "numbers.h"

static real lerp(real x, real y, real w)
{
    return settled(fabs(w) < 0.5 ? x + w * (y - x) : y - (y - x) * (1 - w));
}

typedef struct {
    double rate, beta1, beta2, epsilon, decay;
    int decoupled, amsgrad, maximise;
} adam_settings;

static adam_settings adam_of(const double *s)
{
    return (adam_settings){s[0], s[1], s[2], s[3], s[4], s[5] != 0, s[6] != 0, s[7] != 0};
}

void adam(long n, double t, const double *numbers, real *theta, const real *gradient, real *m,
          real *v, real *largest)
{
    const adam_settings s = adam_of(numbers);
    const real one_less_beta1 = (real)(1 - s.beta1), one_less_beta2 = (real)(1 - s.beta2);
    const real correction = (real)sqrt(1 - pow(s.beta2, t)), epsilon = (real)s.epsilon;
    const real step = (real)(-(s.rate / (1 - pow(s.beta1, t))));
    for (long i = 0; i < n; i++) {
        real g = s.maximise ? -gradient[i] : gradient[i];
        if (s.decay != 0 && s.decoupled)
            theta[i] = settled(theta[i] * (real)(1 - s.rate * s.decay));
        else if (s.decay != 0)
            g = settled(g + (real)s.decay * theta[i]);
        m[i] = lerp(m[i], g, one_less_beta1);
        v[i] = settled(settled(v[i] * (real)s.beta2) + one_less_beta2 * (g * g));
        real second = v[i];
        if (s.amsgrad)
            second = largest[i] = larger(largest[i], v[i]);
        const real d = settled(settled(settled(root(second)) / correction) + epsilon);
        theta[i] = settled(theta[i] + step * (m[i] / d));
    }
}

/* numbers: rate, momentum, dampening, decay, nesterov, maximise. */
void sgd(long n, long first, const double *numbers, real *theta, const real *gradient, real *b)
{
    const double rate = numbers[0], momentum = numbers[1], dampening = numbers[2];
    const double decay = numbers[3];
    for (long i = 0; i < n; i++) {
        real g = numbers[5] != 0 ? -gradient[i] : gradient[i];
        if (decay != 0)
            g = settled(g + (real)decay * theta[i]);
        if (momentum != 0) {
            b[i] = first ? g : settled(settled(b[i] * (real)momentum) + (real)(1 - dampening) * g);
            g = numbers[4] != 0 ? settled(g + (real)momentum * b[i]) : b[i];
        }
        theta[i] = settled(theta[i] + (real)-rate * g);
    }
}

/* numbers: rate, alpha, epsilon, decay, momentum, centred. */
void rmsprop(long n, const double *numbers, real *theta, const real *gradient, real *v, real *a,
             real *b)
{
    const real alpha = (real)numbers[1], rest = (real)(1 - numbers[1]), epsilon = (real)numbers[2];
    for (long i = 0; i < n; i++) {
        real g = gradient[i];
        if (numbers[3] != 0)
            g = settled(g + (real)numbers[3] * theta[i]);
        v[i] = settled(settled(v[i] * alpha) + rest * (g * g));
        real w = v[i];
        if (numbers[5] != 0) {
            a[i] = lerp(a[i], g, rest);
            w = settled(v[i] + (real)-1 * (a[i] * a[i]));
        }
        const real d = settled(settled(root(w)) + epsilon);
        if (numbers[4] != 0) {
            b[i] = settled(settled(b[i] * (real)numbers[4]) + g / d);
            theta[i] = settled(theta[i] + (real)-numbers[0] * b[i]);
        } else
            theta[i] = settled(theta[i] + (real)-numbers[0] * (g / d));
    }
}
