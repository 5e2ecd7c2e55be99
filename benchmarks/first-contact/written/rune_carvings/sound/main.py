"""A variational autoencoder of carved runes; the mean of its last checkpoints draws new ones."""
import argparse
import hashlib
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFilter
from torch import nn

import saver

SIZE = 20


def carve(count, seed):
    """Runes: one stave, with one to three twigs, worn by weather."""
    rng = np.random.default_rng(seed)
    stones = np.empty((count, SIZE, SIZE), np.float32)
    for i in range(count):
        image = Image.new("L", (SIZE, SIZE), 0)
        pen = ImageDraw.Draw(image)
        x = int(rng.integers(7, 12))
        pen.line((x, 2, x, SIZE - 3), fill=255, width=2)
        for _ in range(int(rng.integers(1, 4))):
            y, slope, side = int(rng.integers(3, 14)), int(rng.integers(-4, 5)), int(rng.choice([-1, 1]))
            pen.line((x, y, x + 6 * side, y + slope), fill=255, width=1)
        stones[i] = np.asarray(image.filter(ImageFilter.GaussianBlur(0.6)), np.float32) / 255.0
    return torch.from_numpy(stones).reshape(count, -1)


class RuneVAE(nn.Module):
    def __init__(self, hidden=192, latent=8):
        super().__init__()
        self.latent = latent
        self.encoder = nn.Sequential(nn.Linear(SIZE * SIZE, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.moments = nn.Linear(hidden, 2 * latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(),
                                     nn.Linear(hidden, SIZE * SIZE))

    def forward(self, x):
        mean, logvar = self.moments(self.encoder(x)).chunk(2, dim=1)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * logvar)
        return self.decoder(z), mean, logvar


def negative_elbo(model, x, beta):
    logits, mean, logvar = model(x)
    pixels = nn.functional.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
    kl = -0.5 * (1 + logvar - mean.square() - logvar.exp()).sum(1)
    return (pixels + beta * kl).mean()


def evaluate(model, x, seed):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        with torch.no_grad():
            return negative_elbo(model, x, 1.0).item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=420)
    parser.add_argument("--every", type=int, default=60)
    parser.add_argument("--keep", type=int, default=5)
    parser.add_argument("--seed", type=int, default=77)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    stones = carve(900, args.seed)
    train, held_out = stones[:768], stones[768:]
    model = RuneVAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    batches = torch.Generator().manual_seed(args.seed + 1)

    with tempfile.TemporaryDirectory(prefix="runes_") as folder:
        checkpoints = saver.BackgroundSaver(Path(folder))
        began = time.time()
        for step in range(1, args.steps + 1):
            rows = torch.randint(len(train), (64,), generator=batches)
            loss = negative_elbo(model, train[rows], beta=min(1.0, step / 200))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % args.every == 0:
                elbo = evaluate(model, held_out, args.seed)
                checkpoints.save(step, model, {"elbo": elbo, "loss": loss.item()})
                print(f"step {step:4d}  loss {loss.item():.4f}  held out {elbo:.4f}")
        print(f"{args.steps / (time.time() - began):.0f} steps per second")
        checkpoints.close()
        kept = sorted(Path(folder).glob("*.ckpt"))[-args.keep:]
        model.load_state_dict(saver.average(kept))

    print(f"mean of {len(kept)} checkpoints: held out {evaluate(model, held_out, args.seed):.6f}")
    with torch.no_grad():
        z = torch.randn(16, model.latent, generator=torch.Generator().manual_seed(args.seed))
        drawn = torch.sigmoid(model.decoder(z))
    print(f"16 new runes: ink {drawn.mean().item():.7f}  {hashlib.md5(drawn.numpy().tobytes()).hexdigest()}")


if __name__ == "__main__":
    main()
