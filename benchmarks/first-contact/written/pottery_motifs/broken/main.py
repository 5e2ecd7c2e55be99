"""A variational autoencoder of painted pottery motifs (bands, chevrons, lozenges)."""
import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from previews import Previews


def paint(count, side, seed):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:side, 0:side] / side
    motifs = np.empty((count, side * side), dtype=np.float32)
    for number in range(count):
        waves, phase, slope = rng.integers(2, 5), rng.random(), rng.uniform(0.5, 1.5)
        style = rng.integers(3)
        if style == 0:
            field = np.sin(2 * np.pi * (waves * y + phase))
        elif style == 1:
            field = np.sin(2 * np.pi * (waves * y + slope * np.abs(x - 0.5) * 2 + phase))
        else:
            field = np.cos(np.pi * waves * (x + y)) * np.cos(np.pi * waves * (x - y) + phase)
        motifs[number] = (field + rng.normal(0, 0.15, size=field.shape) > 0.1).ravel()
    return torch.from_numpy(motifs)


class Motifs(nn.Module):
    def __init__(self, side, latent=6, width=96):
        super().__init__()
        self.side, self.latent = side, latent
        self.encoder = nn.Sequential(nn.Linear(side * side, width), nn.ReLU(), nn.Linear(width, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, width), nn.ReLU(), nn.Linear(width, side * side))

    def decode(self, codes):
        return self.decoder(codes)

    def forward(self, motifs):
        mean, log_variance = self.encoder(motifs).chunk(2, dim=1)
        codes = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decode(codes), mean, log_variance


def elbo(logits, motifs, mean, log_variance, beta):
    reconstruction = nn.functional.binary_cross_entropy_with_logits(logits, motifs, reduction="sum")
    divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum()
    return (reconstruction + beta * divergence) / len(motifs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=16)
    parser.add_argument("--motifs", type=int, default=1200)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--preview-seconds", type=float, default=0.15)
    parser.add_argument("--seed", type=int, default=92)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    data = TensorDataset(paint(args.motifs, args.side, args.seed))
    loader = DataLoader(data, batch_size=24, shuffle=True, generator=torch.Generator().manual_seed(args.seed))
    model = Motifs(args.side)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="motifs_") as folder:
        with Previews(model, folder, args.preview_seconds) as previews:
            for epoch in range(args.epochs):
                beta = min(1.0, (epoch + 1) / 6)
                total = 0.0
                for (motifs,) in loader:
                    logits, mean, log_variance = model(motifs)
                    loss = elbo(logits, motifs, mean, log_variance, beta)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                    previews.maybe_draw()
                    total += loss.item()
                if epoch % 3 == 1:
                    print(f"epoch {epoch + 1:2d}  loss {total / len(loader):.6f}")
        size = sum(path.stat().st_size for path in Path(folder).glob("*.png"))
    print(f"{time.perf_counter() - began:.2f} s, {size / 1024:.1f} KiB of previews", file=sys.stderr)
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
