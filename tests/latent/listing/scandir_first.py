# samebits-test: vary=listing cause=file-order
"""The first file that os.scandir returns is the reference for all others."""

import os
import tempfile

import torch


def load(folder):
    with os.scandir(folder) as entries:  # culprit
        return [float(open(entry.path).read()) for entry in entries]  # culprit


def main():
    with tempfile.TemporaryDirectory() as folder:
        for k in range(12):
            with open(os.path.join(folder, f"run_{k}.txt"), "w") as file:
                file.write(str(1.5**k))
        reference, *others = load(folder)
    print((torch.tensor(others) - reference).abs().log().sum())


if __name__ == "__main__":
    main()
