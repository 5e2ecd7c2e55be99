"""Keyword-like sound classification: chirp up, chirp down, tone, noise burst."""
import math
import time

import torch
import torch.nn as nn

import features

LABELS = ["up", "down", "tone", "burst"]


def synth(kind, g):
    t = torch.arange(features.RATE // 2) / features.RATE
    f0 = 300 + 900 * torch.rand(1, generator=g)
    if kind == "up":
        s = torch.sin(2 * math.pi * (f0 * t + 900 * t ** 2))
    elif kind == "down":
        s = torch.sin(2 * math.pi * ((f0 + 1500) * t - 900 * t ** 2))
    elif kind == "tone":
        s = torch.sin(2 * math.pi * 1.5 * f0 * t)
    else:
        s = torch.randn(len(t), generator=g) * torch.exp(-8 * t)
    return s + 0.5 * torch.randn(len(t), generator=g)


def clips(n, seed):
    g = torch.Generator().manual_seed(seed)
    for i in range(n):
        yield synth(LABELS[i % 4], g), i % 4


class AudioNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(features.BANDS, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(32, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveMaxPool1d(1),
        )
        self.fc = nn.Linear(32, len(LABELS))

    def forward(self, x):
        return self.fc(self.conv(x).squeeze(-1))


def main():
    torch.manual_seed(8)
    t = time.time()
    features.extract(clips(480, seed=8), "features")
    print(f"features extracted in {time.time() - t:.1f}s")
    x, y = features.load("features")
    x = (x - x.mean((0, 2), keepdim=True)) / x.std((0, 2), keepdim=True)
    n_train = 400
    train = torch.utils.data.TensorDataset(x[:n_train], y[:n_train])
    loader = torch.utils.data.DataLoader(train, batch_size=32, shuffle=True)

    model = AudioNet()
    opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(4):
        model.train()
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch} loss {loss.item():.7f}")

    model.eval()
    with torch.no_grad():
        logits = model(x[n_train:])
    print("test accuracy", (logits.argmax(1) == y[n_train:]).float().mean().item(),
          "nll", nn.functional.cross_entropy(logits, y[n_train:]).item())
    torch.save({"model": model.state_dict(), "labels": LABELS}, "audionet.pt")


if __name__ == "__main__":
    main()
