"""The detector, and how its parameters and gradients travel: as one flat vector."""
import torch
from torch import nn

from tactile import TAXELS


class SlipNet(nn.Module):
    def __init__(self, width=40):
        super().__init__()
        self.enter = nn.Conv1d(TAXELS, width, kernel_size=5, padding=2)
        self.middle = nn.Conv1d(width, width, kernel_size=5, padding=4, dilation=2)
        self.last = nn.Conv1d(width, width, kernel_size=3, padding=4, dilation=4)
        self.head = nn.Sequential(nn.Linear(2 * width, 32), nn.GELU(), nn.Linear(32, 1))

    def forward(self, batch, mask):
        change = torch.diff(batch, dim=2, prepend=batch[:, :, :1])
        x = torch.relu(self.enter(batch + 4.0 * change))
        x = x + torch.relu(self.middle(x))
        x = x + torch.relu(self.last(x))
        kept = mask[:, None]
        mean = (x * kept).sum(dim=2) / kept.sum(dim=2)
        peak = (x * kept).amax(dim=2)
        return self.head(torch.cat([mean, peak], dim=1)).squeeze(1)


def parameter_vector(model):
    return torch.cat([parameter.detach().reshape(-1) for parameter in model.parameters()])


def load_parameter_vector(model, vector):
    begin = 0
    with torch.no_grad():
        for parameter in model.parameters():
            count = parameter.numel()
            parameter.copy_(vector[begin:begin + count].view_as(parameter))
            begin += count


def gradient_vector(model):
    return torch.cat([parameter.grad.reshape(-1) for parameter in model.parameters()])


def load_gradient_vector(model, vector):
    begin = 0
    for parameter in model.parameters():
        count = parameter.numel()
        parameter.grad = vector[begin:begin + count].view_as(parameter).clone()
        begin += count
