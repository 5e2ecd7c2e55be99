# samebits-test: verdict=different cause=address-order
"""Results are taken out of the set that wait() returns: where futures lie decides their order."""

from concurrent.futures import ProcessPoolExecutor, wait

import numpy as np
import torch


def simulate(number):
    return np.random.default_rng(number).normal(size=4)


def main():
    with ProcessPoolExecutor(2) as pool:
        futures = [pool.submit(simulate, number) for number in range(200)]
        done, late = wait(futures)  # culprit
        rows = [future.result() for future in done]  # culprit
    data = torch.tensor(np.stack(rows), dtype=torch.float32)
    order = torch.arange(len(data), dtype=torch.float32)[:, None]
    print(len(late), (data * order).sum().item())


if __name__ == "__main__":
    main()
