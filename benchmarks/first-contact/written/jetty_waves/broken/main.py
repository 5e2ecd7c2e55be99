"""Significant wave height at a jetty from pressure records; the model shipped is the mean of the last checkpoints."""
import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from saver import BackgroundSaver, average


class Records(Dataset):
    """Bursts of a pressure sensor, with the height that a buoy nearby has measured."""

    def __init__(self, count: int, seed: int, length: int = 96) -> None:
        rng = np.random.default_rng(seed)
        t = np.arange(length)[None, :] / 2.0
        height = rng.gamma(3.0, 0.5, (count, 1))
        period = 4 + 3 * np.sqrt(height) + rng.normal(0, 0.5, (count, 1))
        phase = rng.uniform(0, 2 * np.pi, (count, 1))
        burst = height * np.exp(-3 / period) * np.sin(2 * np.pi * t / period + phase)
        self.bursts = (burst + rng.normal(0, 0.25, burst.shape)).astype(np.float32)
        self.heights = height[:, 0].astype(np.float32)

    def __len__(self) -> int:
        return len(self.heights)

    def __getitem__(self, i: int) -> tuple[np.ndarray, np.float32]:
        burst = self.bursts[i]
        if torch.rand(()) < 0.5:
            burst = burst[::-1].copy()
        return burst, self.heights[i]


def build() -> nn.Module:
    return nn.Sequential(
        nn.Linear(96, 192), nn.GELU(), nn.Linear(192, 192), nn.GELU(), nn.Dropout(0.1), nn.Linear(192, 1), nn.Softplus(), nn.Flatten(0),
    )


@torch.no_grad()
def error(model: nn.Module, records: Records) -> float:
    model.eval()
    guess = model(torch.from_numpy(records.bursts))
    return (guess - torch.from_numpy(records.heights)).square().mean().sqrt().item()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--save-every", type=int, default=8)
    parser.add_argument("--seed", type=int, default=404)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    train, test = Records(2400, args.seed), Records(600, args.seed + 1)
    loader = DataLoader(train, batch_size=48, shuffle=True, num_workers=1, persistent_workers=True)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-3)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        saver = BackgroundSaver(folder)
        step = 0
        for epoch in range(args.epochs):
            model.train()
            for burst, height in loader:
                loss = nn.functional.mse_loss(model(burst), height)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
                if step % args.save_every == 0:
                    saver.submit(step, model)
            print(f"epoch {epoch} loss {loss.item():.6f} test rmse {error(model, test):.6f}")
        saver.close()
        size = sum(path.stat().st_size for path in folder.glob("*.gz"))
        print(f"{len(saver.index)} checkpoints, {size / 1e6:.1f} MB, {step / (time.perf_counter() - start):.0f} steps/s")
        shipped = build()
        shipped.load_state_dict(average(folder, last=16))
    print(f"shipped model: test rmse {error(shipped, test):.7f}, weights {sum(p.double().abs().sum().item() for p in shipped.parameters()):.8f}")


if __name__ == "__main__":
    main()
