# samebits-test: verdict=different cause=clock
"""A program makes up a seed from the date when none is given."""

import argparse
from datetime import datetime

import numpy as np
import torch


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    if args.seed is None:
        args.seed = datetime.now().microsecond  # culprit
    return args


def main():
    args = parse()
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(0)
    walk = torch.from_numpy(rng.choice([-1.0, 1.0], size=(20, 64))).cumsum(dim=1)
    print(walk[:, -1].std())


if __name__ == "__main__":
    main()
