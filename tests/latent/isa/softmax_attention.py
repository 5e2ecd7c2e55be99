# samebits-test: vary=isa cause=isa
"""A softmax of scores, as attention takes it."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, keys):
        super().__init__()
        self.register_buffer("keys", keys)

    def forward(self, scores):
        return torch.softmax(scores + self.keys, dim=-1)  # culprit


model = Attention(torch.arange(130) / 21 - 3)
scores = (torch.arange(130 * 40) % 97 / 9.7).reshape(40, 130)
print(model(scores).amax(dim=-1).sum())
