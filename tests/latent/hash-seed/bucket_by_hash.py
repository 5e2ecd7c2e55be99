# samebits-test: vary=hash-seed cause=hash-order env=PYTHONHASHSEED=1
"""Rows go to training or validation by the hash of their name."""

import torch


def is_validation(name, percent=30):
    return hash(name) % 100 < percent  # culprit


def main():
    names = [f"row/{k}" for k in range(200)]
    marks = torch.tensor([is_validation(name) for name in names])
    values = torch.linspace(0, 1, len(names))
    print(values[marks].sum() - values[~marks].mean())


if __name__ == "__main__":
    main()
