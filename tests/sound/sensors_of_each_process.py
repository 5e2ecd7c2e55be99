# samebits-test: verdict=same
"""A pool of processes averages stations; which process has which goes by their names' checksum."""

import zlib

import torch
import torch.multiprocessing as mp

STATIONS = ("alp", "bay", "cape", "dune", "fjord", "glen", "heath", "isle")


def average(number):
    mine = [name for name in STATIONS if zlib.crc32(name.encode()) % 2 == number]
    readings = torch.tensor([[len(name) / 7, ord(name[0]) / 3] for name in mine] or [[0.0, 0.0]])
    return readings.mean(dim=0).tolist()


if __name__ == "__main__":
    torch.manual_seed(0)
    with mp.get_context("spawn").Pool(2) as pool:
        means = torch.tensor(pool.map(average, range(2), chunksize=1))
    print((means @ torch.tensor([0.25, 0.5])).tolist())
