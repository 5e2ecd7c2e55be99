"""A small VAE of brooch ornaments, with a heartbeat for the job monitor on stderr."""
import logging
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SIDE = 20
log = logging.getLogger("brooch")


def ornaments(count, rng):
    """Rosettes of three to nine petals, with a rim, sometimes with a central stone."""
    y, x = np.mgrid[-1:1:SIDE * 1j, -1:1:SIDE * 1j]
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    images = []
    for _ in range(count):
        petals = rng.integers(3, 10)
        turn = rng.uniform(0, 2 * np.pi)
        reach = rng.uniform(0.4, 0.75)
        edge = reach * (0.75 + 0.25 * np.cos(petals * angle + turn))
        image = 1 / (1 + np.exp((radius - edge) / 0.04))
        image = np.maximum(image, np.exp(-((radius - 0.9) / 0.05) ** 2))
        if rng.random() < 0.5:
            image = image * (1 - np.exp(-(radius / rng.uniform(0.1, 0.25)) ** 2))
        images.append(image)
    return torch.from_numpy(np.stack(images)[:, None].astype(np.float32))


class VAE(nn.Module):
    def __init__(self, latent=8):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 4, stride=2, padding=1), nn.ELU(),
            nn.Conv2d(16, 24, 4, stride=2, padding=1), nn.ELU(), nn.Flatten(),
            nn.Linear(24 * 25, 2 * latent),
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent, 24 * 25), nn.ELU(), nn.Unflatten(1, (24, 5, 5)),
            nn.ConvTranspose2d(24, 16, 4, stride=2, padding=1), nn.ELU(),
            nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1),
        )

    def forward(self, x):
        mean, logvar = self.encoder(x).chunk(2, dim=1)
        if self.training:
            z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
        else:
            z = mean
        return self.decoder(z), mean, logvar


class Heartbeat:
    """Tells the monitor every `period` seconds how fast we are and what an inference costs."""

    def __init__(self, model, period=0.25, batch=16):
        self.model, self.period = model, period
        self.probe_shape = (batch, 1, SIDE, SIDE)
        self.last, self.seen = time.monotonic(), 0

    @torch.inference_mode()
    def latency(self):
        was_training = self.model.training
        self.model.eval()
        probe = torch.zeros(self.probe_shape)
        start = time.perf_counter()
        self.model(probe)
        spent = time.perf_counter() - start
        self.model.train(was_training)
        return 1000 * spent

    def tick(self, rows):
        self.seen += rows
        now = time.monotonic()
        if now - self.last >= self.period:
            rate = self.seen / (now - self.last)
            log.info("%.0f images/s, inference %.2f ms", rate, self.latency())
            self.last, self.seen = now, 0


def objective(model, x, beta):
    logits, mean, logvar = model(x)
    likelihood = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x)
    divergence = -0.5 * (1 + logvar - mean.square() - logvar.exp()).sum() / len(x)
    return likelihood + beta * divergence, likelihood, divergence


class Trainer:
    def __init__(self, model, images, batch=32, lr=2e-3):
        self.model, self.images, self.batch = model, images, batch
        self.optimiser = torch.optim.Adam(model.parameters(), lr=lr)
        self.heartbeat = Heartbeat(model)

    def epoch(self, beta):
        self.model.train()
        sums = np.zeros(2)
        for rows in torch.randperm(len(self.images)).split(self.batch):
            loss, likelihood, divergence = objective(self.model, self.images[rows], beta)
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            sums += [likelihood.item() * len(rows), divergence.item() * len(rows)]
            self.heartbeat.tick(len(rows))
        return sums / len(self.images)


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    torch.manual_seed(3)
    rng = np.random.default_rng(3)
    images, held_out = ornaments(800, rng), ornaments(200, rng)

    model = VAE()
    trainer = Trainer(model, images)
    for number in range(1, 11):
        likelihood, divergence = trainer.epoch(beta=min(1.0, number / 6))
        print(f"epoch {number:2d}  reconstruction {likelihood:.4f}  divergence {divergence:.4f}")

    model.eval()
    with torch.no_grad():
        _, likelihood, divergence = objective(model, held_out, 1.0)
        designs = torch.sigmoid(model.decoder(torch.randn(16, 8)))
    print(f"held out: elbo {-(likelihood + divergence).item():.5f}")
    Path("out").mkdir(exist_ok=True)
    np.save("out/designs.npy", designs.numpy())
    torch.save(model.state_dict(), "out/vae.pt")


if __name__ == "__main__":
    main()
