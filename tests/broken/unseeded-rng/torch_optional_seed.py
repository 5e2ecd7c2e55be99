# samebits-test: verdict=different cause=unseeded-rng detail=torch-cpu args="--layers 2"
"""A program whose --seed is optional, started without it."""

import argparse
import math

import torch


def dense(n_in, n_out):
    weight = torch.empty(n_out, n_in)
    torch.nn.init.trunc_normal_(weight, std=1 / math.sqrt(n_in))  # culprit
    return weight


def forward(weights, x):
    for weight in weights:
        x = torch.nn.functional.gelu(x @ weight.T)
    return x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    if args.seed is not None:
        torch.manual_seed(args.seed)
    weights = [dense(12, 12) for _ in range(args.layers)]
    print(forward(weights, torch.ones(2, 12)).norm())


if __name__ == "__main__":
    main()
