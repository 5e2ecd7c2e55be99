"""Sequence tagging in bfloat16 autocast with a custom optimizer; checkpoint, restart half way, finish."""
import os
import shutil
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from optim import NoisyLion

EPOCHS, TAGS, VOCAB, LENGTH = 4, 4, 40, 24


class Sentences(IterableDataset):
    def __init__(self, n):
        self.n, self.epoch = n, 0

    def __iter__(self):
        info = get_worker_info()
        first, every = (info.id, info.num_workers) if info else (0, 1)
        for i in range(first, self.n, every):
            rng = np.random.default_rng([self.epoch, i])
            words = rng.integers(1, VOCAB, LENGTH)
            previous = np.concatenate([[0], words[:-1]])
            yield torch.from_numpy(words), torch.from_numpy((words + previous // 10) % TAGS)


class Tagger(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim)
        self.conv = nn.Conv1d(dim, 64, 3, padding=1)
        self.norm = nn.LayerNorm(64)
        self.out = nn.Linear(64, TAGS)

    def forward(self, w):
        h = self.conv(self.emb(w).transpose(1, 2)).transpose(1, 2)
        return self.out(torch.dropout(self.norm(h).relu(), 0.1, self.training))


def setup():
    torch.manual_seed(500)
    model = Tagger()
    return model, NoisyLion(model.parameters(), lr=2e-3, weight_decay=0.01, noise=0.01, seed=500)


def save(path, model, opt, epoch):
    fd, tmp = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(fd, "wb") as f:
        torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "noise": opt.generator.get_state(),
                    "rng": torch.get_rng_state(), "epoch": epoch, "written": time.time()}, f)
    os.replace(tmp, path)


def restore(path):
    model, opt = setup()
    ck = torch.load(path, weights_only=True)
    model.load_state_dict(ck["model"])
    opt.load_state_dict(ck["opt"])
    opt.generator.set_state(ck["noise"])
    torch.set_rng_state(ck["rng"])
    return model, opt, ck["epoch"] + 1


def train_epoch(model, opt, data, epoch, accumulate=2):
    data.epoch = epoch
    loader = DataLoader(data, 25, num_workers=2)
    model.train()
    total = 0.0
    for i, (w, t) in enumerate(loader):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(w)
        loss = nn.functional.cross_entropy(out.float().flatten(0, 1), t.flatten()) / accumulate
        loss.backward()
        total += loss.item()
        if i % accumulate == accumulate - 1:
            opt.step()
            opt.zero_grad()
    return total


def main():
    data = Sentences(1000)
    folder = tempfile.mkdtemp(prefix="ckpt_", dir=os.getcwd())
    path = os.path.join(folder, "last.pt")
    try:
        model, opt = setup()
        for epoch in range(EPOCHS):
            if epoch == EPOCHS // 2:
                print("restarting from", os.path.basename(path), f"({time.time() - os.path.getmtime(path):.3f} s old)")
                model, opt, resumed = restore(path)
                assert resumed == epoch
            print(f"epoch {epoch} loss {train_epoch(model, opt, data, epoch):.8f}")
            save(path, model, opt, epoch)
    finally:
        shutil.rmtree(folder)
    model.eval()
    data.epoch = 10_000
    with torch.no_grad():
        hits = torch.cat([(model(w).argmax(-1) == t).flatten() for w, t in DataLoader(data, 100)])
    print("tag accuracy", hits.float().mean().item())
    torch.save(model.state_dict(), "tagger.pt")


if __name__ == "__main__":
    main()
