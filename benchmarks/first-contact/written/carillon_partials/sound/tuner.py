"""The network that hears how far the tierce is off."""
import torch
from torch import nn
from torch.nn import functional as F


def spectra(waves):
    window = torch.hann_window(waves.shape[-1])
    power = torch.fft.rfft(waves * window, n=1024).abs()
    return torch.log1p(power)


class Tuner(nn.Module):
    def __init__(self, bells, width=24):
        super().__init__()
        self.ear = nn.Sequential(
            nn.Conv1d(1, width, 9, stride=2, padding=4), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, width, 7, stride=2, padding=3), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, 8, 5, stride=2, padding=2), nn.ReLU(), nn.Flatten(),
        )
        self.bell = nn.Embedding(bells, 16)
        self.head = nn.Sequential(nn.LazyLinear(64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))

    def forward(self, spectrum, bell):
        heard = self.ear(spectrum.unsqueeze(1))
        return self.head(torch.cat([heard, self.bell(bell)], dim=1)).squeeze(1)


def train_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for spectrum, bell, cents in loader:
        loss = F.smooth_l1_loss(model(spectrum, bell), cents / 20)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(cents)
    return total / len(loader.dataset)


@torch.no_grad()
def error_in_cents(model, loader):
    model.eval()
    off = [(20 * model(spectrum, bell) - cents).abs() for spectrum, bell, cents in loader]
    return torch.cat(off).mean().item()
