# samebits-test: verdict=same
"""A reader sends rows to a cleaner, and that one to the main process, through two pipes."""

import numpy as np
import torch
import torch.multiprocessing as mp


def clean(source, target):
    for _ in range(3):
        rows = torch.tensor(source.recv())
        target.send((rows - rows.mean()).tolist())


def read(target):
    for index in range(3):
        rows = np.arange(6) + index % 1000
        tensor = torch.from_numpy(rows.astype(np.float32))
        target.send((tensor * (index + 1)).sqrt().tolist())


def main():
    torch.manual_seed(0)
    context = mp.get_context("fork")
    rows, rows_in = context.Pipe(duplex=False)
    cleaned, cleaned_in = context.Pipe()
    cleaner = context.Process(target=clean, args=(rows, cleaned_in))
    reader = context.Process(target=read, args=(rows_in,))
    cleaner.start()
    reader.start()
    weight = torch.randn(6)
    total = 0.0
    for _ in range(3):
        total += float(torch.tensor(cleaned.recv()) @ weight)
    reader.join()
    cleaner.join()
    print("total", total)


if __name__ == "__main__":
    main()
