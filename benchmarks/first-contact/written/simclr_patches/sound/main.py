"""BYOL-style self-distillation on noisy sequences. Views depend on (item name, epoch, view) alone."""
import copy
import functools
import hashlib
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, RandomSampler

HERE = Path.cwd()


def stable_seed(*parts):
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest(), "big")


@functools.lru_cache(maxsize=None)
def window(kind):
    return {"hann": np.hanning(64), "flat": np.ones(64), "ramp": np.linspace(0.3, 1, 64)}[kind]


def logged(fn):
    @functools.wraps(fn)
    def inner(*a, **k):
        t = time.time()
        out = fn(*a, **k)
        with open(HERE / "timing.log", "a") as f:
            f.write(f"{time.ctime(t)} {fn.__name__} {time.time() - t:.3f}\n")
        return out
    return inner


class Signals(Dataset):
    def __init__(self, names):
        self.names, self.epoch = list(names), 0

    def __len__(self):
        return len(self.names)

    @staticmethod
    def clean(name):
        kind = int(name.split("-")[0][1:])
        rng = np.random.default_rng(stable_seed("clean", name))
        t = np.arange(64) / 64
        return np.sin(2 * np.pi * (kind + 2) * t + rng.uniform(0, 6.28)) * rng.uniform(0.7, 1.3), kind

    def view(self, name, v):
        rng = np.random.default_rng(stable_seed(name, self.epoch, v))
        x, kind = self.clean(name)
        x = np.roll(x, rng.integers(64)) * window(("hann", "flat", "ramp")[rng.integers(3)])
        return (x + rng.normal(0, 0.25, 64)).astype(np.float32), kind

    def __getitem__(self, i):
        (a, y), (b, _) = self.view(self.names[i], 0), self.view(self.names[i], 1)
        return a[None], b[None], y


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 16, 7, padding=3), nn.ReLU(), nn.Conv1d(16, 32, 7, stride=2), nn.ReLU())
        self.proj = nn.Linear(32, 16)

    def forward(self, x):
        return self.proj(self.conv(x).mean(-1))


@logged
def pretrain(data, epochs):
    online, predictor = Encoder(), nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))
    teacher = copy.deepcopy(online).requires_grad_(False)
    opt = torch.optim.SGD([*online.parameters(), *predictor.parameters()], lr=0.1, momentum=0.9)
    loader = DataLoader(data, 50, sampler=RandomSampler(data), drop_last=True)
    for data.epoch in range(epochs):
        for a, b, _ in loader:
            loss = sum(1 - F.cosine_similarity(predictor(online(u)), teacher(v)).mean() for u, v in ((a, b), (b, a)))
            opt.zero_grad()
            loss.backward()
            opt.step()
            with torch.no_grad():
                torch._foreach_lerp_(list(teacher.parameters()), list(online.parameters()), 0.02)
        print(f"epoch {data.epoch}: {loss.item():.7f}")
    return online.eval()


@logged
def knn_score(enc, train, test, k=7):
    def table(names):
        xs, ys = zip(*(Signals.clean(n) for n in names))
        with torch.no_grad():
            return F.normalize(enc(torch.tensor(np.stack(xs), dtype=torch.float32)[:, None]), dim=1), torch.tensor(ys)
    (zt, yt), (zv, yv) = table(train), table(test)
    votes = F.one_hot(yt[(zv @ zt.T).topk(k, dim=1).indices], 5).sum(1)
    return (votes.argmax(1) == yv).float().mean().item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(55)
    names = [f"k{i % 5}-{i:04d}" for i in range(600)]
    test = {n for n in names if stable_seed("split", n) % 5 == 0}
    train = [n for n in names if n not in test]
    print(len(train), "train", len(test), "test")
    enc = pretrain(Signals(train), epochs=3)
    score = knn_score(enc, train, sorted(test))
    print("knn accuracy", score)
    (HERE / "score.json").write_text(json.dumps({"knn": score, "bias": enc.proj.bias.tolist()}))


if __name__ == "__main__":
    main()
