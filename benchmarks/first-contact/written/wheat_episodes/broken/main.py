"""Prototypical networks: tell wheat cultivars apart from a few spectra of each."""
import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

FIELDS = 4
SEED = 100
HERE = Path(__file__).resolve().parent


def grow_fields(folder: Path) -> list[Path]:
    """Runs the simulator once for each field, two at a time."""
    paths = [folder / f"field{i}.csv" for i in range(FIELDS)]
    for first in range(0, FIELDS, 2):
        children = [subprocess.Popen([sys.executable, str(HERE / "simulate.py"), "--field", str(i),
                                      "--out", str(paths[i]), "--seed", str(i)])
                    for i in range(first, min(first + 2, FIELDS))]
        for child in children:
            if child.wait() != 0:
                raise RuntimeError(f"the simulator failed: {child.args}")
    return paths


def read(paths: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    spectra, cultivars = [], []
    for path in paths:
        with path.open(newline="") as f:
            for row in csv.DictReader(f):
                cultivars.append(int(row["cultivar"]))
                spectra.append([float(v) for k, v in row.items() if k.startswith("b")])
    return np.array(spectra, dtype=np.float32), np.array(cultivars)


class Episodes(torch.utils.data.IterableDataset):
    """Endless tasks: some cultivars, a few examples of each to learn from and to be asked about."""

    def __init__(self, x, y, cultivars, ways=4, shots=3, asked=6, seed=0):
        self.rows = {int(c): np.flatnonzero(y == c) for c in cultivars}
        self.x, self.ways, self.shots, self.asked, self.seed = x, ways, shots, asked, seed

    def __iter__(self):
        rng = np.random.default_rng(self.seed)
        names = sorted(self.rows)
        while True:
            chosen = rng.choice(names, self.ways, replace=False)
            rows = np.stack([rng.choice(self.rows[int(c)], self.shots + self.asked, replace=False) for c in chosen])
            picked = torch.from_numpy(self.x[rows])
            yield picked[:, : self.shots], picked[:, self.shots:]


def episode_loss(net, support, query):
    ways, asked = query.shape[:2]
    prototypes = net(support).mean(1)
    distance = torch.cdist(net(query).flatten(0, 1), prototypes)
    target = torch.arange(ways).repeat_interleave(asked)
    logits = -distance.square()
    return nn.functional.cross_entropy(logits, target), (logits.argmax(1) == target).float().mean()


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wheat-") as folder:
        x, y = read(grow_fields(Path(folder)))
    print(f"{len(x)} plots of {FIELDS} fields, {time.monotonic() - began:.2f} s")
    x = (x - x.mean(0)) / x.std(0)

    known, unseen = range(0, 8), range(8, 12)
    train = torch.utils.data.DataLoader(Episodes(x, y, known, seed=SEED + 1), batch_size=None)
    test = iter(Episodes(x, y, unseen, ways=3, seed=SEED + 2))

    net = nn.Sequential(nn.Linear(16, 48), nn.GELU(), nn.Dropout(0.1), nn.Linear(48, 24))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    recent = 0.0
    for step, (support, query) in enumerate(train, 1):
        loss, _ = episode_loss(net, support, query)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        recent = 0.95 * recent + 0.05 * loss.item()
        if step % 100 == 0:
            print(f"episode {step}: loss {recent:.6f}")
        if step == 400:
            break

    net.eval()
    with torch.no_grad():
        results = [episode_loss(net, *next(test)) for _ in range(60)]
    print(f"unseen cultivars: loss {torch.stack([r[0] for r in results]).mean().item():.8f} "
          f"accuracy {torch.stack([r[1] for r in results]).mean().item():.5f}")


if __name__ == "__main__":
    main()
