"""Regression on simulated spectra that are cached on disk; every run has a folder of its own."""
import tempfile
import time
import uuid
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import nn

from store import Cache


def spectrum(name, lines, width):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    axis = np.linspace(0, 1, width)
    place, strength = rng.random(lines), rng.gamma(2.0, size=lines)
    clean = (strength[:, None] * np.exp(-((axis - place[:, None]) / 0.03) ** 2)).sum(0)
    return clean + 0.05 * rng.normal(size=width), float(strength.sum())


class Spectra(torch.utils.data.Dataset):
    def __init__(self, names, cache):
        self.names, self.cache = names, cache

    def __len__(self):
        return len(self.names)

    def __getitem__(self, k):
        values, total = self.cache(spectrum, name=self.names[k], lines=3 + k % 4, width=80)
        return torch.tensor(values, dtype=torch.float32), torch.tensor([total], dtype=torch.float32)


def main():
    run = Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{uuid.uuid4().hex[:6]}"
    run.mkdir(parents=True)
    torch.manual_seed(101)
    with tempfile.TemporaryDirectory(prefix="spectra-") as scratch:
        cache = Cache(scratch)
        data = Spectra([f"star-{k}" for k in range(320)], cache)
        loader = torch.utils.data.DataLoader(data, batch_size=20, shuffle=True)
        model = nn.Sequential(nn.Linear(80, 48), nn.ReLU(), nn.Dropout(0.05), nn.Linear(48, 1))
        opt = torch.optim.Adam(model.parameters(), lr=2e-3)
        for epoch in range(5):
            total, begin = 0.0, time.time()
            for x, y in loader:
                loss = nn.functional.huber_loss(model(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item()
            print(f"epoch {epoch} {total / len(loader):.4f} {time.time() - begin:.2f} s, "
                  f"{cache.hits} hits {cache.misses} misses")
        print("cache", scratch, "with", len(list(Path(scratch).iterdir())), "files")
    torch.save(model.state_dict(), run / "model.pt")
    print("written to", run)
    print("final loss", total / len(loader), "weights", sum(p.double().sum().item() for p in model.parameters()))


if __name__ == "__main__":
    main()
