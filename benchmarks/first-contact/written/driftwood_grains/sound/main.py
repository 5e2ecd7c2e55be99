"""Names the tree that a piece of driftwood came from, by the grain in a polished section."""
import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset

from manifest import read_manifest

SPECIES = {"larch": (0.55, 0.05), "spruce": (0.75, 0.10), "pine": (0.95, 0.05), "alder": (0.75, 0.35)}


def photograph(job):
    folder, species, piece, seed = job
    rng = np.random.default_rng([seed, piece])
    pitch, wobble = SPECIES[species]
    y, x = np.mgrid[0:40, 0:40]
    angle = rng.normal(0, 0.15)
    along = x * np.cos(angle) + y * np.sin(angle)
    grain = np.sin(pitch * along + wobble * y * np.sin(y / 7.0) + rng.uniform(0, 6.28))
    picture = 120 + 45 * grain + rng.normal(0, 45, grain.shape)
    path = folder / species / f"section_{piece:04d}.png"
    Image.fromarray(picture.clip(0, 255).astype(np.uint8)).save(path)
    return path


def shoot(folder, per_species, seed):
    jobs = []
    for k, species in enumerate(SPECIES):
        (folder / species).mkdir(parents=True)
        jobs += [(folder, species, k * per_species + i, seed) for i in range(per_species)]
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(photograph, jobs))


class Sections(Dataset):
    def __init__(self, frame, flip):
        self.paths = frame["path"].tolist()
        self.labels = frame["label"].tolist()
        self.flip = flip
        self.memory = {}

    def __len__(self):
        return len(self.paths)

    def picture(self, i):
        if i not in self.memory:
            with Image.open(self.paths[i]) as im:
                self.memory[i] = torch.from_numpy(np.array(im, dtype=np.float32) / 127.5 - 1).unsqueeze(0)
        return self.memory[i]

    def __getitem__(self, i):
        x = self.picture(i)
        if self.flip and torch.rand(()) < 0.5:
            x = x.flip(-1)
        return x, self.labels[i]


def network(classes):
    return nn.Sequential(
        nn.Conv2d(1, 12, 7, stride=2), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 16, 5, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        nn.Dropout(0.1), nn.Linear(64, classes))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--per-species", type=int, default=90)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--seed", type=int, default=8)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="driftwood-") as tmp:
        root = Path(tmp) / "sections"
        begun = time.perf_counter()
        shoot(root, args.per_species, args.seed)
        print(f"pictures written in {time.perf_counter() - begun:.2f} s")
        frame = read_manifest(root)
        train = Sections(frame[frame["part"] == "train"], flip=True)
        valid = Sections(frame[frame["part"] == "valid"], flip=False)
        print(frame.groupby(["species", "part"]).size().unstack().to_string())

        net = network(len(SPECIES))
        opt = torch.optim.Adam(net.parameters(), lr=3e-3)
        loader = DataLoader(train, batch_size=32, shuffle=True)
        for epoch in range(args.epochs):
            net.train()
            total, begun = 0.0, time.perf_counter()
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(y)
            print(f"epoch {epoch} loss {total / len(train):.6f} in {time.perf_counter() - begun:.2f} s")

        net.eval()
        right, loss = 0, 0.0
        with torch.no_grad():
            for x, y in DataLoader(valid, batch_size=64):
                logits = net(x)
                right += int((logits.argmax(1) == y).sum())
                loss += nn.functional.cross_entropy(logits, y, reduction="sum").item()
    print(f"validation accuracy {right / len(valid):.4f} loss {loss / len(valid):.7f}")
    print(f"weights {sum(p.double().sum().item() for p in net.parameters()):.10f}")


if __name__ == "__main__":
    main()
