"""Distil a wide teacher into a small student: bfloat16 autocast, gradient accumulation, streamed data."""
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

WORK = Path("work")
TEACHER = WORK / "teacher.pt"
ACCUMULATE, TEMPERATURE = 4, 3.0


class Stream(IterableDataset):
    """Endless-looking stream of noisy periodic signals, cut after n items."""

    def __init__(self, n, seed):
        self.n, self.seed = n, seed

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        t = torch.arange(32) / 32
        for _ in range(self.n):
            label = int(torch.randint(5, (1,), generator=g))
            phase = 2 * math.pi * torch.rand(1, generator=g)
            yield torch.sin(2 * math.pi * (label + 1) * t + phase) + 0.7 * torch.randn(32, generator=g), label


def mlp(width, depth):
    layers, n = [], 32
    for _ in range(depth):
        layers += [nn.Linear(n, width), nn.LayerNorm(width), nn.GELU()]
        n = width
    return nn.Sequential(*layers, nn.Linear(n, 5))


def train_teacher():
    teacher = mlp(128, 3)
    if TEACHER.exists():
        teacher.load_state_dict(torch.load(TEACHER))
        print("continuing from the stored teacher")
    opt = torch.optim.AdamW(teacher.parameters(), lr=2e-3)
    for x, y in DataLoader(Stream(2400, seed=1), batch_size=48):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(teacher(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    torch.save(teacher.state_dict(), TEACHER)
    return teacher.eval().requires_grad_(False)


def distil(teacher):
    student = mlp(24, 1)
    opt = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9)
    for i, (x, y) in enumerate(DataLoader(Stream(3200, seed=2), batch_size=16)):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            s, t = student(x), teacher(x)
            soft = F.kl_div((s / TEMPERATURE).log_softmax(1), (t / TEMPERATURE).softmax(1), reduction="batchmean")
            loss = 0.3 * F.cross_entropy(s, y) + 0.7 * TEMPERATURE ** 2 * soft
        (loss / ACCUMULATE).backward()
        if (i + 1) % ACCUMULATE == 0:
            opt.step()
            opt.zero_grad()
    return student.eval()


@torch.no_grad()
def evaluate(name, model):
    x, y = next(iter(DataLoader(Stream(1000, seed=3), batch_size=1000)))
    out = model(x)
    print(f"{name}: accuracy {(out.argmax(1) == y).float().mean().item():.4f} "
          f"nll {F.cross_entropy(out, y).item():.7f}")


if __name__ == "__main__":
    torch.manual_seed(1001)
    WORK.mkdir(exist_ok=True)
    teacher = train_teacher()
    evaluate("teacher", teacher)
    student = distil(teacher)
    evaluate("student", student)
    torch.save(student.state_dict(), WORK / "student.pt")
