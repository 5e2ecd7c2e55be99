import torch
from torch import nn


class PlantModel(nn.Module):
    """Predicts the change of the state and the power drawn."""

    def __init__(self, width=64):
        super().__init__()
        self.register_buffer("mean", torch.zeros(6))
        self.register_buffer("scale", torch.ones(6))
        self.net = nn.Sequential(
            nn.Linear(6, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 5)
        )

    def fit_scaling(self, inputs):
        self.mean.copy_(inputs.mean(0))
        self.scale.copy_(inputs.std(0) + 1e-6)

    def forward(self, inputs):
        return self.net((inputs - self.mean) / self.scale)


@torch.no_grad()
def best_setpoint(model, state, candidates):
    inputs = torch.cat([state.expand(len(candidates), 4), candidates], 1)
    out = model(inputs)
    cost = out[:, 4] + 0.5 * (state[0] + out[:, 0] - 7.0).abs()
    return candidates[cost.argmin()]
