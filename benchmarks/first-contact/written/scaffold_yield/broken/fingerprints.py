"""Counts of character n-grams, folded into a fixed width."""
import zlib

import torch

WIDTH = 256


def _grams(text, sizes=(2, 3, 4)):
    for k in sizes:
        for i in range(len(text) - k + 1):
            yield text[i:i + k]


def featurize(mols):
    x = torch.zeros(len(mols), WIDTH)
    for row, m in enumerate(mols):
        present = set()
        for g in _grams(m.scaffold + "." + ".".join(m.groups)):
            present.add(zlib.crc32(g.encode()) % WIDTH)
        for bit in present:
            x[row, bit] = 1.0
        for g in set(m.groups):
            x[row, zlib.crc32(g.encode()) % WIDTH] += m.groups.count(g)
    return x
