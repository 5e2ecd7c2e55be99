"""A variational autoencoder of octopus skin."""
import random
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from skins import SEED, Skins, start_worker


class Autoencoder(nn.Module):
    def __init__(self, latent=8):
        super().__init__()
        self.encode = nn.Sequential(
            nn.Conv2d(1, 8, 4, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(8, 16, 4, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(256, 2 * latent))
        self.decode = nn.Sequential(
            nn.Linear(latent, 256), nn.ReLU(), nn.Unflatten(1, (16, 4, 4)),
            nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1), nn.ReLU(),
            nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1))

    def forward(self, x):
        mean, spread = self.encode(x).chunk(2, dim=1)
        code = mean + torch.randn_like(mean) * (0.5 * spread).exp() if self.training else mean
        divergence = -0.5 * (1 + spread - mean ** 2 - spread.exp()).sum(1).mean()
        return torch.sigmoid(self.decode(code)), divergence


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)

    generator = torch.Generator().manual_seed(SEED)
    train = DataLoader(Skins(640), batch_size=32, shuffle=True, num_workers=2, drop_last=True,
                       worker_init_fn=start_worker, generator=generator)
    test = DataLoader(Skins(128, train=False), batch_size=64)
    model = Autoencoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    for epoch in range(4):
        began, total = time.perf_counter(), 0.0
        model.train()
        for patches in train:
            again, divergence = model(patches)
            loss = nn.functional.mse_loss(again, patches, reduction="none").sum((1, 2, 3)).mean() + 0.05 * divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            error = sum(((model(p)[0] - p) ** 2).mean().item() for p in test) / len(test)
        seconds = time.perf_counter() - began
        print(f"epoch {epoch}: loss {total / len(train):.5f}, test error {error:.7f}, "
              f"{len(train) * 32 / seconds:.0f} patches/s")
    print("weights", float(sum(p.detach().double().abs().sum() for p in model.parameters())))


if __name__ == "__main__":
    main()
