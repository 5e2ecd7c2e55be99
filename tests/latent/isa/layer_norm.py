# samebits-test: vary=isa cause=isa
"""Layer normalisation sums each row in vector lanes."""

import torch
from torch import nn


def main():
    torch.manual_seed(0)
    x = torch.rand(64, 257)
    norm = nn.LayerNorm(257)
    y = norm(x)  # culprit
    print(y.square().mean().item())


if __name__ == "__main__":
    main()
