import torch
from torch import nn

from .streams import stream


class ChannelDropout(nn.Module):
    """Dropout of whole channels from a stream of its own."""

    def __init__(self, rate, generator):
        super().__init__()
        self.rate = rate
        self.generator = generator

    def forward(self, x):
        if not self.training:
            return x
        keep = torch.rand(x.shape[:2] + (1,), generator=self.generator) >= self.rate
        return x * keep.to(x.dtype) / (1 - self.rate)


class Block(nn.Module):
    def __init__(self, c_in, c_out, width, run, number):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, width, padding=width // 2)
        self.norm = nn.GroupNorm(4, c_out)
        self.drop = ChannelDropout(0.1, stream(run, f"dropout{number}"))

    def forward(self, x):
        return self.drop(torch.relu(self.norm(self.conv(x))))


class Picker(nn.Module):
    def __init__(self, samples, run, width=16):
        super().__init__()
        self.samples = samples
        self.blocks = nn.Sequential(
            Block(1, width, 9, run, 0), Block(width, width, 7, run, 1), Block(width, width, 7, run, 2))
        self.head = nn.Conv1d(width, 1, 1)
        self.reset(run)

    @torch.no_grad()
    def reset(self, run):
        generator = torch.Generator().manual_seed(2024)
        for module in self.modules():
            if isinstance(module, nn.Conv1d):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu", generator=generator)
                module.bias.zero_()

    def forward(self, x):
        return self.head(self.blocks(x)).squeeze(1)
