# samebits-test: verdict=different cause=file-order folder=memory
"""Four processes write shards; os.scandir hands them over as they were made."""

import multiprocessing
import os
import tempfile

import torch


def write(task):
    folder, number = task
    with open(os.path.join(folder, f"shard-{number:03d}"), "w") as file:
        file.write(" ".join(str(number + k) for k in range(4)))


def read(folder):
    shards = []
    for entry in os.scandir(folder):  # culprit
        with open(entry.path) as file:
            shards.append(torch.tensor([int(word) for word in file.read().split()]))
    return torch.stack(shards)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=".") as folder:
        with multiprocessing.get_context("fork").Pool(4) as pool:
            pool.map(write, [(folder, number) for number in range(600)], chunksize=1)
        data = read(folder).double()
    decay = 0.99 ** torch.arange(len(data), dtype=torch.float64)
    print((decay @ data).tolist())
