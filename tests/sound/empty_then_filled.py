# samebits-test: verdict=same
"""torch.empty is filled before it is read."""

import torch


def positions(n, width):
    table = torch.empty(n, width)
    angle = torch.arange(n).unsqueeze(1) / 10 ** (torch.arange(0, width, 2) / width)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


print(positions(40, 8).cumsum(dim=0)[-1])
