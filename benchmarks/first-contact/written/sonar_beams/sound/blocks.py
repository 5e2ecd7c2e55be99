"""How many samples of a recording to hold in cache at a time."""
import time

from beamform import covariance

CANDIDATES = tuple(range(512, 993, 8))
CACHE = 192 * 1024               # bytes that one block may take


def seconds(signal, block, repeats=3):
    start = time.perf_counter()
    for _ in range(repeats):
        covariance(signal, block)
    return (time.perf_counter() - start) / repeats


def choose_block(signal):
    row = signal.shape[0] * signal.element_size()
    best = max(b for b in CANDIDATES if b * row <= CACHE)
    print(f"covariance: {1e3 * seconds(signal, best):.2f} ms a pass")
    return best
