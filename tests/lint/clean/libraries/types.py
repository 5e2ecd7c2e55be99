import torch
import torch.nn as nn
import random

torch.serialization.add_safe_globals([nn.Linear])
identity = nn.Linear(1, 1)
EPS = torch.tensor(1e-6)


def noise(x):
    return x + EPS * torch.randn_like(x)
