import torch
from torch import nn


class StayModel(nn.Module):
    """Days in hospital from what is known at admission, and how dialysis changes them."""

    def __init__(self, width=32):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(5, width), nn.ReLU(), nn.Linear(width, 1))
        self.effect = nn.Sequential(nn.Linear(5, width // 2), nn.Tanh(), nn.Linear(width // 2, 1))

    def forward(self, facts, dialysis):
        return self.base(facts).squeeze(1) + dialysis * self.effect(facts).squeeze(1)


def tensors(patients):
    facts = torch.tensor([[p.age, p.filtration, p.pressure, p.albumin, float(p.diabetic)] for p in patients])
    dialysis = torch.tensor([float(p.dialysis) for p in patients])
    return facts, dialysis, torch.tensor([p.stay for p in patients])
