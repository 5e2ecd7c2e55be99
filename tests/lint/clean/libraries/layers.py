import math
import torch
from torch import nn
import torch.nn.functional as F

torch.set_printoptions(precision=3)


class Mixer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.a = nn.Linear(dim, dim)
        self.b = nn.Linear(dim, dim)
        nn.init.xavier_uniform_(self.a.weight)

    def forward(self, x):
        return self.b(F.dropout(torch.relu(self.a(x)), 0.1, self.training))


nn.Mixer = Mixer
setattr(nn, "Mixer2", Mixer)
