import zlib

import numpy as np


def fold(name):
    return zlib.crc32(name.encode()) % 5


print(np.array([fold(name) for name in ("a", "b")]))
