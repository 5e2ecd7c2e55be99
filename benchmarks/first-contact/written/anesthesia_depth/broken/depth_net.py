"""The regressor, its training and its test."""
import torch
from torch import nn
from torch.nn import functional as F

LIGHT = 60.0      # index above which a patient may be aware


class DepthNet(nn.Module):
    """Strided convolutions, then attention over what is left of the time axis."""

    def __init__(self, width=32, dropout=0.15):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv1d(2, width, kernel_size=17, stride=2, padding=8), nn.GroupNorm(4, width), nn.SiLU(),
            nn.Conv1d(width, width, kernel_size=9, stride=4, padding=4), nn.GroupNorm(4, width), nn.SiLU(),
            nn.Conv1d(width, 2 * width, kernel_size=5, stride=2, padding=2), nn.SiLU(),
        )
        self.attend = nn.Linear(2 * width, 1)
        self.head = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(2 * width, width), nn.SiLU(), nn.Linear(width, 1)
        )

    def forward(self, windows):
        features = self.stem(windows).transpose(1, 2)
        weight = torch.softmax(self.attend(features), dim=1)
        pooled = (weight * features).sum(dim=1)
        return 50.0 + 25.0 * self.head(pooled).squeeze(1)


def train_epoch(model, loader, optimizer, schedule, theatre):
    model.train()
    total = 0.0
    for windows, depths in loader:
        if theatre is not None:
            windows = theatre.disturb(windows)
        loss = F.smooth_l1_loss(model(windows) / 10.0, depths / 10.0)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        total += float(loss.detach())
    return total / len(loader)


@torch.no_grad()
def evaluate(model, windows, depths):
    model.eval()
    found = torch.cat([model(part) for part in windows.split(64)])
    pair = torch.stack([found, depths])
    return {
        "mae": float((found - depths).abs().mean()),
        "correlation": float(torch.corrcoef(pair)[0, 1]),
        "accuracy": float(((found > LIGHT) == (depths > LIGHT)).float().mean()),
    }
