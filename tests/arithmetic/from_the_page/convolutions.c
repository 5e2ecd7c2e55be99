/* "Convolutions" along two axes: products over k, in the page's order of k. */
#include "numbers.h"

typedef struct {
    long images, in, height, width;   /* x[image, channel, row, column] */
    long out, groups, tall, broad;    /* w[out, in / groups, tap, tap] */
    long stride[2], padding[2], dilation[2];
    long rows, columns;               /* of the result */
} course;

static course course_of(const int64_t *numbers)
{
    const int64_t *n = numbers;
    course c = {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7],
                {n[8], n[9]}, {n[10], n[11]}, {n[12], n[13]}, 0, 0};
    c.rows = (c.height + 2 * c.padding[0] - c.dilation[0] * (c.tall - 1) - 1) / c.stride[0] + 1;
    c.columns = (c.width + 2 * c.padding[1] - c.dilation[1] * (c.broad - 1) - 1) / c.stride[1] + 1;
    return c;
}

static real input(const course *c, const real *x, long image, long channel, long row, long column)
{
    if (row < 0 || column < 0 || row >= c->height || column >= c->width)
        return 0;
    return x[((image * c->in + channel) * c->height + row) * c->width + column];
}

static real slope(const course *c, const real *g, long image, long channel, long row, long column)
{
    if (row < 0 || column < 0 || row >= c->rows || column >= c->columns)
        return 0;
    return g[((image * c->out + channel) * c->rows + row) * c->columns + column];
}

void convolution(const int64_t *numbers, const real *x, const real *w, const real *bias, real *y)
{
    const course c = course_of(numbers);
    const long deep = c.in / c.groups, k = deep * c.tall * c.broad;
    real *factors = reals(k);
    for (long image = 0; image < c.images; image++)
        for (long o = 0; o < c.out; o++)
            for (long row = 0; row < c.rows; row++)
                for (long column = 0; column < c.columns; column++) {
                    const long first = o / (c.out / c.groups) * deep;
                    long at = 0;
                    for (long channel = 0; channel < deep; channel++)
                        for (long a = 0; a < c.tall; a++)
                            for (long b = 0; b < c.broad; b++)
                                factors[at++] = input(
                                    &c, x, image, first + channel,
                                    row * c.stride[0] - c.padding[0] + a * c.dilation[0],
                                    column * c.stride[1] - c.padding[1] + b * c.dilation[1]);
                    const real value = product_of(k, factors, w + o * k);
                    *y++ = shown(bias ? value + bias[o] : value);
                }
    free(factors);
}

/* dx; as a transposed convolution, with a bias, the result for the input g. */
void convolution_to_input(const int64_t *numbers, const real *g, const real *w, const real *bias,
                          real *dx)
{
    const course c = course_of(numbers);
    const long deep = c.in / c.groups, fan = c.out / c.groups, taps = c.tall * c.broad;
    real *factors = reals(fan * taps), *weights = reals(fan * taps);
    for (long image = 0; image < c.images; image++)
        for (long channel = 0; channel < c.in; channel++)
            for (long row = 0; row < c.height; row++)
                for (long column = 0; column < c.width; column++) {
                    const long group = channel / deep;
                    long n = 0;
                    for (long o = group * fan; o < (group + 1) * fan; o++)
                        for (long a = 0; a < c.tall; a++)
                            for (long b = 0; b < c.broad; b++) {
                                const long down = row + c.padding[0] - a * c.dilation[0];
                                const long right = column + c.padding[1] - b * c.dilation[1];
                                if (down % c.stride[0] || right % c.stride[1])
                                    continue;
                                factors[n] = slope(&c, g, image, o, down < 0 ? -1 : down / c.stride[0],
                                                   right < 0 ? -1 : right / c.stride[1]);
                                weights[n++] = w[(o * deep + channel % deep) * taps + a * c.broad + b];
                            }
                    const real value = product_of(n, factors, weights);
                    *dx++ = shown(bias ? value + bias[channel] : value);
                }
    free(factors), free(weights);
}

void convolution_to_weight(const int64_t *numbers, const real *g, const real *x, real *dw, real *db)
{
    const course c = course_of(numbers);
    const long deep = c.in / c.groups, k = c.images * c.rows * c.columns;
    real *slopes = reals(k), *factors = reals(k);
    for (long o = 0; o < c.out; o++) {
        long n = 0;
        for (long image = 0; image < c.images; image++)
            for (long row = 0; row < c.rows; row++)
                for (long column = 0; column < c.columns; column++)
                    slopes[n++] = slope(&c, g, image, o, row, column);
        db[o] = sum_of(k, slopes);
        for (long channel = 0; channel < deep; channel++)
            for (long a = 0; a < c.tall; a++)
                for (long b = 0; b < c.broad; b++) {
                    long at = 0;
                    for (long image = 0; image < c.images; image++)
                        for (long row = 0; row < c.rows; row++)
                            for (long column = 0; column < c.columns; column++)
                                factors[at++] = input(
                                    &c, x, image, o / (c.out / c.groups) * deep + channel,
                                    row * c.stride[0] - c.padding[0] + a * c.dilation[0],
                                    column * c.stride[1] - c.padding[1] + b * c.dilation[1]);
                    *dw++ = product_of(k, slopes, factors);
                }
    }
    free(slopes), free(factors);
}
