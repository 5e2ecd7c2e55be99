# samebits-test: verdict=different cause=address-order
"""Graph nodes are objects in a set; it orders them by where they lie."""

import torch


class Node:
    def __init__(self, value):
        self.value = value


nodes = {Node(0.01 * k) for k in range(3000)}
values = torch.tensor([node.value for node in nodes])  # culprit
smoothed = values.unfold(0, 5, 1).mean(dim=1)
print((smoothed[1:] - smoothed[:-1]).abs().max())
