/* "Places" and "Order": sums of what comes to a place, and the stable order of values. */
#include "numbers.h"

/* out[place] = the sum of its contributions, rows of `width` values; added to `old` where there is
   one. `counts` divides each contribution by the number of uses of its row. */
void into_places(long places, long width, long n, const int64_t *index, const real *values,
                 const real *old, long by_frequency, int64_t ignored, real *out)
{
    real *mine = reals(n);
    for (long place = 0; place < places; place++) {
        long uses = 0;
        for (long i = 0; i < n; i++)
            uses += index[i] == place;
        for (long column = 0; column < width; column++) {
            long count = 0;
            for (long i = 0; i < n; i++)
                if (index[i] == place && index[i] != ignored) {
                    const real value = values[i * width + column];
                    mine[count++] = by_frequency ? value / (real)uses : value;
                }
            const long at = place * width + column;
            if (old)
                out[at] = count ? shown(old[at] + sum_of(count, mine)) : old[at];
            else
                out[at] = sum_of(count, mine);
        }
    }
    free(mine);
}

static int before(real x, real y, int descending)
{
    if (x != x || y != y)
        return descending ? x != x && y == y : y != y && x == x;
    return descending ? x > y : x < y;
}

void stable_order(long rows, long n, const real *x, long descending, int64_t *order)
{
    for (long r = 0; r < rows; r++, x += n, order += n)
        for (long i = 0; i < n; i++) {
            long at = i;
            for (; at > 0 && before(x[i], x[order[at - 1]], descending); at--)
                order[at] = order[at - 1];
            order[at] = i;
        }
}
