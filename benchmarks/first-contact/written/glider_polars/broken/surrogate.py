import torch
from torch import nn


class Polar(nn.Module):
    """Distance, duration and sink rate (standardised) for wing, mass and speed."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.register_buffer("in_mean", inputs.mean(0))
        self.register_buffer("in_std", inputs.std(0))
        self.register_buffer("out_mean", outputs.mean(0))
        self.register_buffer("out_std", outputs.std(0))
        self.layers = nn.Sequential(
            nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 3)
        )

    def forward(self, inputs):
        return self.layers((inputs - self.in_mean) / self.in_std)

    def loss(self, inputs, outputs):
        target = (outputs - self.out_mean) / self.out_std
        return nn.functional.smooth_l1_loss(self(inputs), target)
