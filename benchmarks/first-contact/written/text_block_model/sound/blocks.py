"""Cuts files into blocks of equal size, each file beginning a block of its own."""
import os
from dataclasses import dataclass

import numpy as np


@dataclass
class Packed:
    data: np.ndarray     # blocks x size, uint8
    owner: np.ndarray    # which file each block is of
    sizes: list          # bytes in each file
    names: list


def _read(path, size):
    raw = np.fromfile(path, dtype=np.uint8)
    count = -(-len(raw) // size)
    buffer = np.empty(count * size, dtype=np.uint8)
    buffer[:len(raw)] = raw
    buffer[len(raw):] = 0
    return buffer.reshape(count, size), len(raw)


def pack(paths, size):
    parts, owner, sizes = [], [], []
    for i, path in enumerate(paths):
        block, n = _read(path, size)
        parts.append(block)
        owner.append(np.full(len(block), i))
        sizes.append(n)
    total = sum(len(p) for p in parts)
    data = np.empty((total, size), dtype=np.uint8)
    np.concatenate(parts, out=data)
    return Packed(data, np.concatenate(owner), sizes, [os.path.basename(p) for p in paths])


def unpack_lengths(packed):
    size = packed.data.shape[1]
    out = np.full(len(packed.data), size)
    for i, n in enumerate(packed.sizes):
        last = np.flatnonzero(packed.owner == i)[-1]
        out[last] = n - (n - 1) // size * size
    return out
