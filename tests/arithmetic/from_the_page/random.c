/* "Random numbers": Philox4x32-10 under a key, and what is made of its words. */
#include "numbers.h"

void words_of(uint64_t key, long n, uint32_t *words)
{
    for (long block = 0; 4 * block < n; block++) {
        uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
        uint32_t x[4] = {(uint32_t)block, (uint32_t)((uint64_t)block >> 32), 0, 0};
        for (int round = 0; round < 10; round++) {
            const uint64_t c = UINT64_C(0xCD9E8D57) * x[2], d = UINT64_C(0xD2511F53) * x[0];
            const uint32_t y[4] = {(uint32_t)(c >> 32) ^ x[1] ^ k0, (uint32_t)c,
                                   (uint32_t)(d >> 32) ^ x[3] ^ k1, (uint32_t)d};
            memcpy(x, y, sizeof x);
            k0 += UINT32_C(0x9E3779B9);
            k1 += UINT32_C(0xBB67AE85);
        }
        for (long j = 0; j < 4 && 4 * block + j < n; j++)
            words[4 * block + j] = x[j];
    }
}

static uint32_t *new_words(uint64_t key, long n)
{
    uint32_t *words = malloc((size_t)(n + 1) * sizeof *words);
    words_of(key, n, words);
    return words;
}

static float u_of(uint32_t word) { return (float)(word >> 8) * 0x1p-24f; }
static float v_of(uint32_t word) { return (float)((word >> 8) + 1) * 0x1p-24f; }

#if BITS == 32
void special_lgamma(double x, double *out);

void uniform(uint64_t key, long n, double low, double high, float *out)
{
    uint32_t *words = new_words(key, n);
    for (long i = 0; i < n; i++)
        out[i] = u_of(words[i]) * ((float)high - (float)low) + (float)low;
    free(words);
}

void exponential(uint64_t key, long n, double rate, float *out)
{
    uint32_t *words = new_words(key, n);
    for (long i = 0; i < n; i++)
        out[i] = (0 - f_log(v_of(words[i]))) / (float)rate;
    free(words);
}

void normal(uint64_t key, long n, double mean, double deviation, float *out)
{
    uint32_t *words = new_words(key, n + 1);
    for (long i = 0; i < n; i += 2) {
        const float r = root(-2 * f_log(v_of(words[i])));
        const float a = u_of(words[i + 1]) * from_bits32(0x40C90FDB);
        out[i] = r * f_cos(a) * (float)deviation + (float)mean;
        if (i + 1 < n)
            out[i + 1] = r * f_sin(a) * (float)deviation + (float)mean;
    }
    free(words);
}

void whole_numbers(uint64_t key, long n, int64_t low, int64_t high, int64_t *out)
{
    uint32_t *words = new_words(key, 2 * n);
    for (long i = 0; i < n; i++) {
        const uint64_t word = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
        out[i] = (int64_t)((word >> 1) % (uint64_t)(high - low)) + low;
    }
    free(words);
}

void permutation(uint64_t key, long n, int64_t *out)
{
    uint32_t *words = new_words(key, 2 * n);
    int64_t *keys = malloc((size_t)(n + 1) * sizeof *keys);
    for (long i = 0; i < n; i++)
        keys[i] = (int64_t)(words[2 * i] | (uint64_t)words[2 * i + 1] << 32);
    for (long i = 0; i < n; i++) { /* insertion keeps equal ones as they stand */
        long at = i;
        for (; at > 0 && keys[out[at - 1]] > keys[i]; at--)
            out[at] = out[at - 1];
        out[at] = i;
    }
    free(words), free(keys);
}

/* p ÷ e, the largest first, the lower index of equal ones. */
void multinomial(uint64_t key, long n, long samples, const float *p, int64_t *out)
{
    float *e = reals(n);
    exponential(key, n, 1, e);
    for (long i = 0; i < n; i++)
        e[i] = p[i] / e[i];
    for (long k = 0; k < samples; k++) {
        long best = 0;
        for (long i = 1; i < n; i++)
            if (e[i] > e[best])
                best = i;
        out[k] = best;
        e[best] = -INFINITY;
    }
    free(e);
}

/* f of two words, in [0, 1). */
static double f_of(uint32_t a, uint32_t b)
{
    return ((double)(a >> 5) * 0x1p26 + (double)(b >> 6)) * 0x1p-53;
}

static double wide_log(double x) { return (double)WIDE(log)((wide)x); }

void gamma_numbers(uint64_t key, long n, const float *alpha, float *out)
{
    for (long i = 0; i < n; i++) {
        const double a = alpha[i], third = 1.0 / 3;
        const double d = a < 1 ? (a + 1) - third : a - third, c = 1 / sqrt(9 * d);
        for (uint64_t attempt = 0;; attempt++) {
            uint32_t *words = new_words(key + attempt, 4 * i + 4), *w = words + 4 * i;
            const double r = sqrt(-2 * wide_log(v_of(w[0]))), angle = u_of(w[1]) * (2 * PI);
            const double z = r * (double)WIDE(cos)((wide)angle), b = 1 + c * z;
            const double v = (b * b) * b, third_word = wide_log(v_of(w[2])), last = v_of(w[3]);
            free(words);
            if (!(b > 0) || !(third_word < ((0.5 * (z * z) + d) - d * v) + d * wide_log(v)))
                continue;
            double value = d * v;
            if (a < 1)
                value = value * (double)WIDE(pow)((wide)last, (wide)(1 / a));
            const float rounded = (float)value;
            out[i] = rounded < FLT_MIN ? FLT_MIN : rounded;
            break;
        }
    }
}

static int ptrs(double m, double f, double v, double *k)
{
    const double b = 0.931 + 2.53 * sqrt(m), a = -0.059 + 0.02483 * b;
    const double u = f - 0.5, e = 0.5 - fabs(u);
    *k = floor(((2 * a) / e + b) * u + m + 0.43);
    if (e >= 0.07 && v <= 0.9277 - (1 / (b - 2)) * 3.6224)
        return 1;
    if (*k < 0 || (e < 0.013 && v > e))
        return 0;
    double whole = *k + 1, lgamma_;
    special_lgamma(whole, &lgamma_);
    return wide_log((v * (1.1239 + (1 / (b - 3.4)) * 1.1328)) / (a / (e * e) + b))
           <= (*k * wide_log(m) - m) - lgamma_;
}

void poisson(uint64_t key, long n, const float *mean, float *out)
{
    for (long i = 0; i < n; i++) {
        const double m = mean[i];
        double k = 0;
        for (uint64_t attempt = 0;; attempt++) {
            uint32_t *words = new_words(key + attempt, 4 * i + 4), *w = words + 4 * i;
            const double f = f_of(w[0], w[1]), g = f_of(w[2], w[3]);
            free(words);
            if (m >= 10) {
                if (ptrs(m, f, 1 - g, &k))
                    break;
                continue;
            }
            double p = (double)WIDE(exp)(-(wide)m), s = p;
            while (f >= s && k < 200) {
                k = k + 1;
                p = (p * m) / k;
                s = s + p;
            }
            break;
        }
        out[i] = (float)k;
    }
}
#endif

/* 1 or 0 for each element; p one number, or one an element (`each`). */
void bernoulli(uint64_t key, long n, double p, const real *each, real *out)
{
    uint32_t *words = new_words(key, n);
    for (long i = 0; i < n; i++)
        if (each)
            out[i] = (real)u_of(words[i]) < each[i];
        else
            out[i] = (double)words[i] < rint(p * 0x1p32);
    free(words);
}

void dropout_factors(uint64_t key, double p, long n, real *factors)
{
    bernoulli(key, n, 1 - p, NULL, factors);
    for (long i = 0; i < n; i++)
        factors[i] = factors[i] / (real)(1 - p);
}
