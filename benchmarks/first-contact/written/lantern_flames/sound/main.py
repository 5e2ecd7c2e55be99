"""Soot index of kerosene lantern flames from thermal strips; snapshots are blended by their held-out loss."""

import argparse
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from scorer import Scorer


@dataclass(frozen=True)
class Config:
    flames: int = 1200
    strip: int = 64
    epochs: int = 5
    snapshot_every: int = 8
    sharpness: float = 40.0


def make_strips(cfg: Config, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(seed)
    height = np.linspace(0.0, 1.0, cfg.strip)
    width = rng.uniform(0.08, 0.3, cfg.flames)
    lean = rng.uniform(0.3, 0.7, cfg.flames)
    flicker = rng.normal(0.0, 0.15, (cfg.flames, cfg.strip))
    strips = np.exp(-(((height - lean[:, None]) / width[:, None]) ** 2)) + flicker
    soot = 3.0 * width + np.sin(5.0 * lean) + rng.normal(0.0, 0.05, cfg.flames)
    return torch.from_numpy(strips).float()[:, None], torch.from_numpy(soot).float()


def build() -> nn.Module:
    return nn.Sequential(
        nn.Conv1d(1, 12, 7, padding=3), nn.ReLU(), nn.AvgPool1d(2),
        nn.Conv1d(12, 24, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(8),
        nn.Flatten(), nn.Linear(24 * 8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0),
    )


def snapshot(model: nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def blend(scores, sharpness: float) -> dict[str, torch.Tensor]:
    losses = torch.tensor([s.loss for s in scores], dtype=torch.float64)
    share = torch.softmax(-sharpness * losses, dim=0)
    return {
        name: sum(w.item() * s.state[name] for w, s in zip(share, scores))
        for name in scores[0].state
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=23)
    args = parser.parse_args()
    cfg = Config()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    x, y = make_strips(cfg, args.seed)
    held = cfg.flames // 3
    shuffle = torch.Generator().manual_seed(args.seed + 1)
    loader = DataLoader(TensorDataset(x[held:], y[held:]), batch_size=32, shuffle=True, generator=shuffle)

    model = build()
    scorer = Scorer(build(), x[:held], y[:held])
    scorer.start()
    opt = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)

    began, step = time.perf_counter(), 0
    for epoch in range(cfg.epochs):
        running = 0.0
        for strips, soot in loader:
            loss = F.mse_loss(model(strips), soot)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
            step += 1
            if step % cfg.snapshot_every == 0:
                scorer.submit(step, snapshot(model))
        print(f"epoch {epoch}: train {running / len(loader):.5f}")
    scores = scorer.finish()
    print(f"{step / (time.perf_counter() - began):.0f} steps/s")

    best = min(scores, key=lambda s: s.loss)
    model.load_state_dict(blend(scores, cfg.sharpness))
    model.eval()
    with torch.no_grad():
        final = F.mse_loss(model(x[:held]), y[:held]).item()
    print(f"best snapshot: step {best.step}, held-out {best.loss:.7f}, "
          f"mean of {len(scores)} {sum(s.loss for s in scores) / len(scores):.7f}")
    print(f"blend: held-out {final:.7f}, weights {sum(p.double().sum().item() for p in model.parameters()):.8f}")


if __name__ == "__main__":
    main()
