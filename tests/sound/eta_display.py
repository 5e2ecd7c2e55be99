# samebits-test: verdict=same
"""A progress line estimates the time that is left."""

import sys
import time


def progress(sequence):
    start = time.time()
    for k, item in enumerate(sequence, 1):
        yield item
        left = (time.time() - start) / k * (len(sequence) - k)
        print(f"\r{k}/{len(sequence)}, {left:.3f} s left", end="", file=sys.stderr)
    print(file=sys.stderr)


import torch  # noqa: E402

total = torch.zeros(3)
for k in progress(range(8)):
    total += torch.full((3,), 1 / (k + 1))
print(total)
