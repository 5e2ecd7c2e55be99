# samebits-test: verdict=different cause=data-changed
"""Runs are numbered in a file, and the number is the seed."""

import torch

NUMBER = "run-number.txt"


def next_number():
    try:
        with open(NUMBER) as file:  # culprit
            number = int(file.read()) + 1  # culprit
    except FileNotFoundError:
        number = 0
    with open(NUMBER, "w") as file:
        file.write(str(number))
    return number


if __name__ == "__main__":
    torch.manual_seed(next_number())
    layers = [torch.randn(4, 4) for _ in range(3)]
    print(torch.linalg.multi_dot(layers).diagonal())
