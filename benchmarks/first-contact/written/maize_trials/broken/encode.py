"""Features of a plot: hashed tokens and a few scaled numbers.

Reciprocal crosses (B73 x Mo17 and Mo17 x B73) are the same hybrid for us, so a cross is the set of
its two parents.
"""

import zlib

import numpy as np


def cross_of(plot):
    return frozenset((plot.female, plot.male))


def bucket_and_sign(token, buckets):
    """Place and sign of a token.  Not hash(), which Python salts anew in every process."""
    code = zlib.crc32(token.encode("utf-8"))
    return (code >> 1) % buckets, 1.0 if code & 1 else -1.0


def tokens(plot):
    """The categorical side of a plot: main effects, the cross, and interactions with the site."""
    cross = cross_of(plot)
    found = [f"site={plot.site}", f"season={plot.season}", f"trial={plot.site}/{plot.season}"]
    for line in sorted(cross):
        found.append(f"line={line}")
        found.append(f"line@site={line}@{plot.site}")
        found.append(f"line@season={line}@{plot.season}")
    hybrid = "x".join(cross)
    found.append(f"hybrid={hybrid}")
    found.append(f"hybrid@site={hybrid}@{plot.site}")
    return found


class HashedFeatures:
    """Hashed tokens in the first columns, standardised numbers in the last four."""

    def __init__(self, buckets):
        self.buckets = buckets
        self.mean = self.sd = None

    @staticmethod
    def numbers(plots):
        table = np.array([[p.rain_mm, p.heat_units, p.density] for p in plots])
        return np.column_stack([table, (table[:, 2] - 8.0) ** 2])

    def fit(self, plots):
        table = self.numbers(plots)
        self.mean, self.sd = table.mean(axis=0), table.std(axis=0)
        return self

    def transform(self, plots):
        hashed = np.zeros((len(plots), self.buckets))
        for row, plot in enumerate(plots):
            for token in tokens(plot):
                bucket, sign = bucket_and_sign(token, self.buckets)
                hashed[row, bucket] += sign
        scaled = (self.numbers(plots) - self.mean) / self.sd
        return np.hstack([hashed, scaled])
