import random

import torch


def set_seed(seed):
    random.seed(seed)
    torch.manual_seed(seed)


def main():
    set_seed(0)
    print(random.random(), torch.nn.Linear(2, 2).weight)


if __name__ == "__main__":
    main()
