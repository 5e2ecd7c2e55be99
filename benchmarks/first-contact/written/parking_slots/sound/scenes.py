"""Draws camera views of single parking slots: free, taken by a car, or taken by a motorbike."""
import numpy as np
import torch

LABELS = ("free", "car", "motorbike")


def draw_slot(rng, size, label, weather):
    base = {"dry": 0.35, "wet": 0.22, "snow": 0.75}[weather]
    view = np.full((3, size, size), base, dtype=np.float32)
    view += rng.normal(0, 0.05, view.shape).astype(np.float32)
    view[:, :, 1] = view[:, :, -2] = 0.9 if weather != "snow" else base
    if label == 1:
        top, left = rng.integers(2, 6), rng.integers(3, 7)
        paint = rng.uniform(0.1, 0.9, 3)
        view[:, top:size - 4, left:left + 12] = paint[:, None, None]
        view[:, top + 3:top + 7, left + 2:left + 10] = 0.12
    elif label == 2:
        top, left = rng.integers(4, 10), rng.integers(5, 16)
        view[:, top:top + 9, left:left + 3] = rng.uniform(0.05, 0.5)
    if rng.random() < 0.4:
        cut = rng.integers(4, size - 4)
        view[:, :, :cut] *= 0.6
    return view + rng.normal(0, 0.08, view.shape).astype(np.float32)


def make_views(cfg, count, rng):
    labels = rng.integers(0, len(LABELS), count)
    weather = [cfg.weather[i] for i in rng.integers(0, len(cfg.weather), count)]
    views = np.stack([draw_slot(rng, cfg.size, label, w) for label, w in zip(labels, weather)])
    return torch.tensor(views), torch.tensor(labels), weather


class Jitter:
    """Shifts and mirrors each view, and changes its brightness."""

    def __init__(self, seed, reach=2):
        self.generator = torch.Generator().manual_seed(seed)
        self.reach = reach

    def __call__(self, batch):
        count, g = len(batch), self.generator
        mirrored = torch.rand(count, generator=g) < 0.5
        batch = torch.where(mirrored[:, None, None, None], batch.flip(-1), batch)
        moves = torch.randint(-self.reach, self.reach + 1, (count, 2), generator=g)
        moved = [torch.roll(view, tuple(move), (1, 2)) for view, move in zip(batch, moves.tolist())]
        gain = 1 + 0.2 * torch.randn(count, 1, 1, 1, generator=g)
        return torch.stack(moved) * gain
