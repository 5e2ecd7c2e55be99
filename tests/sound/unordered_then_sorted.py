# samebits-test: verdict=same
"""imap_unordered, with the number of the row in the result, sorted afterwards."""

from multiprocessing import get_context

import torch


def square_root(number):
    return number, number**0.5


def main():
    with get_context("fork").Pool(2) as pool:
        rows = sorted(pool.imap_unordered(square_root, range(200)))
    print(torch.tensor([value for _, value in rows]).diff().prod().log())


if __name__ == "__main__":
    main()
