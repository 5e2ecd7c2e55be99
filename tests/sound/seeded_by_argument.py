# samebits-test: verdict=same args="--seed 17"
"""A program whose --seed is optional, started with it."""

import argparse

import numpy as np
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int)
args = parser.parse_args()
if args.seed is not None:
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
x = torch.randn(20, 2) + torch.from_numpy(np.random.rand(20, 2))
print(torch.linalg.svdvals(x))
