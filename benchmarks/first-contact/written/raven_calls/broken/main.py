"""Call types of ravens from short recordings: wav files, loader workers, a balanced sampler."""
import argparse
import hashlib
import time
import wave
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from clips import BalancedSampler, CallClips

CALLS = {"kraa": 40, "toc": 90, "rrap": 150}
RATE = 4000


def record(path, rng, base, seconds=0.5):
    t = np.arange(int(RATE * seconds)) / RATE
    f0 = base * rng.uniform(0.8, 1.25) * 5
    sweep = np.cumsum(f0 * (1 + 0.3 * np.sin(2 * np.pi * rng.uniform(2, 9) * t))) / RATE
    tone = sum(np.sin(2 * np.pi * k * sweep) / k for k in (1, 2, 3))
    sound = tone * np.exp(-3 * t) + rng.normal(0, 0.6, len(t))
    pcm = (np.clip(sound / 4, -1, 1) * 32000).astype("<i2")
    with wave.open(str(path), "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(RATE)
        w.writeframes(pcm.tobytes())


def make_archive(root, seed, sizes=(70, 45, 30)):
    rng = np.random.default_rng(seed)
    for (call, base), n in zip(CALLS.items(), sizes):
        (root / call).mkdir()
        for i in range(n):
            record(root / call / f"{call}_{i:03d}.wav", rng, base)


def split(root, every=5):
    train, test = [], []
    for label, call in enumerate(CALLS):
        for i, clip in enumerate(sorted((root / call).glob("*.wav"))):
            (test if i % every == 0 else train).append((clip, label))
    return train, test


def make_net():
    return nn.Sequential(
        nn.Conv1d(33, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(32, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(32, len(CALLS)),
    )


@torch.no_grad()
def recall(net, loader):
    net.eval()
    hit, seen = torch.zeros(len(CALLS)), torch.zeros(len(CALLS))
    for x, y in loader:
        good = net(x).argmax(1) == y
        hit += torch.bincount(y, good.float(), len(CALLS))
        seen += torch.bincount(y, minlength=len(CALLS))
    return hit / seen


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--seed", type=int, default=8)
    args = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    net = make_net()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    with TemporaryDirectory(prefix="ravens-") as tmp:
        root = Path(tmp)
        make_archive(root, args.seed)
        train, test = split(root)
        sampler = BalancedSampler([y for _, y in train], args.seed)
        loader = DataLoader(CallClips(train, RATE, augment=True), batch_size=16, sampler=sampler,
                            num_workers=args.workers, persistent_workers=True)
        plain = DataLoader(CallClips(test, RATE), batch_size=16)
        for epoch in range(args.epochs):
            began, losses = time.perf_counter(), []
            net.train()
            sampler.epoch = epoch
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                losses.append(loss.item())
            print(f"epoch {epoch} loss {np.mean(losses):.6f} {time.perf_counter() - began:.2f}s")
        score = recall(net, plain)
    digest = hashlib.sha256(b"".join(v.numpy().tobytes() for v in net.state_dict().values())).hexdigest()
    print("recall", {c: round(r, 4) for c, r in zip(CALLS, score.tolist())}, "weights", digest[:16])


if __name__ == "__main__":
    main()
