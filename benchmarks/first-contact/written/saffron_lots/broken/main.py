"""Grades saffron lots from thread images; half as many labels as unlabelled lots, a mean teacher."""
import copy
import hashlib
import logging
import sys
import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageDraw, ImageFilter
from torch import nn

from targets import TargetCache

log = logging.getLogger("saffron")


@dataclass
class Settings:
    seed: int = 5
    labelled: int = 32
    unlabelled: int = 64
    held_out: int = 120
    side: int = 20
    steps: int = 220
    batch: int = 32
    decay: float = 0.97
    max_age: float = 0.25


def draw_lot(rng, grade, side):
    img = Image.new("RGB", (side * 2, side * 2), (235, 230, 220))
    pen = ImageDraw.Draw(img)
    for _ in range(14):
        x, y = rng.uniform(0, side * 2, 2)
        dx, dy = rng.normal(0, 9, 2)
        red = int(np.clip(rng.normal(150 + 22 * grade, 25), 0, 255))
        pen.line((x, y, x + dx, y + dy), fill=(red, 40 + 30 * (2 - grade), 20), width=2)
    img = img.filter(ImageFilter.GaussianBlur(0.7)).resize((side, side))
    return np.asarray(img, dtype=np.float32).transpose(2, 0, 1) / 255


def make_lots(n, rng, side):
    grades = rng.integers(0, 3, n)
    x = np.stack([draw_lot(rng, g, side) for g in grades]) + rng.normal(0, 0.08, (n, 3, side, side))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(grades)


def make_net():
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(96, 3),
    )


def jitter(x, gen):
    if torch.rand((), generator=gen) < 0.5:
        x = x.flip(-1)
    gain = 1 + 0.1 * torch.randn(len(x), 3, 1, 1, generator=gen)
    return x * gain


@torch.no_grad()
def follow(teacher, student, decay):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.lerp_(s, 1 - decay)


@torch.no_grad()
def accuracy(net, x, y):
    was = net.training
    net.eval()
    hits = (net(x).argmax(1) == y).float().mean().item()
    net.train(was)
    return hits


def main():
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(relativeCreated)6.0fms %(message)s")
    s = Settings()
    torch.set_num_threads(1)
    torch.manual_seed(s.seed)
    rng = np.random.default_rng(s.seed)
    gen = torch.Generator().manual_seed(s.seed)
    x, y = make_lots(s.labelled, rng, s.side)
    pool, _ = make_lots(s.unlabelled, rng, s.side)
    xv, yv = make_lots(s.held_out, rng, s.side)

    student = make_net()
    teacher = copy.deepcopy(student).eval()
    cache = TargetCache(teacher, s.max_age)
    opt = torch.optim.AdamW(student.parameters(), lr=4e-3)
    groups = torch.randperm(len(pool), generator=gen).split(s.batch)
    began = time.monotonic()
    for step in range(s.steps):
        cache.advance()
        rows = torch.randint(len(x), (s.batch,), generator=gen)
        loss = F.cross_entropy(student(jitter(x[rows], gen)), y[rows])
        key = step % len(groups)
        u = pool[groups[key]]
        soft = cache.lookup(key, u)
        ramp = min(1.0, step / 80)
        loss = loss + ramp * F.kl_div(student(jitter(u, gen)).log_softmax(1), soft, reduction="batchmean")
        opt.zero_grad()
        loss.backward()
        opt.step()
        follow(teacher, student, s.decay)
        if (step + 1) % 55 == 0:
            log.info("step %d loss %.5f held-out %.4f", step + 1, loss.item(), accuracy(teacher, xv, yv))
    log.info("%.1f ms per step", 1000 * (time.monotonic() - began) / s.steps)
    raw = b"".join(v.numpy().tobytes() for v in teacher.state_dict().values())
    print("teacher", hashlib.md5(raw).hexdigest(), f"accuracy {accuracy(teacher, xv, yv):.4f}")


if __name__ == "__main__":
    main()
