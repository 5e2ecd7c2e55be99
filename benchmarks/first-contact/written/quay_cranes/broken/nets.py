import torch
from torch import nn

ARCHS = {}


def register(name):
    def keep(cls):
        if name in ARCHS:
            raise KeyError(f"{name} is taken")
        ARCHS[name] = cls
        return cls
    return keep


@register("residual")
class Residual(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.enter = nn.Linear(inputs, width)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.drop = nn.Dropout(0.1)
        self.leave = nn.Linear(width, 1)

    def forward(self, x):
        h = torch.relu(self.enter(x))
        for block in self.blocks:
            h = h + self.drop(torch.relu(block(h)))
        return self.leave(h).squeeze(-1)


@register("gated")
class Gated(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.enter = nn.Linear(inputs, 2 * width)
        self.mix = nn.Linear(width, 2 * width)
        self.drop = nn.Dropout(0.1)
        self.leave = nn.Linear(width, 1)

    def forward(self, x):
        h = nn.functional.glu(self.enter(x))
        h = self.drop(nn.functional.glu(self.mix(h)))
        return self.leave(h).squeeze(-1)


def build(name, inputs, width):
    return ARCHS[name](inputs, width)
