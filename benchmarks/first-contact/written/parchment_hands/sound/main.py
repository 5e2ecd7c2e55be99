"""Which scribe wrote this? A classifier of hands in medieval charters."""
import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import f1_score
from torch import nn

from bundle import pack, unpack, write_glyphs


def build(scribes):
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(),
        nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(),
        nn.Linear(16 * 6 * 6, scribes))


def folds(version, count, parts):
    """Folds that stay as they are for as long as the bundle does."""
    rng = np.random.default_rng(int(version[:16], 16))
    return np.array_split(rng.permutation(count), parts)


def fit(images, hands, train, scribes, epochs, seed):
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    model = build(scribes)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    train = torch.as_tensor(train)
    for _ in range(epochs):
        for rows in train[torch.randperm(len(train), generator=generator)].split(64):
            loss = nn.functional.cross_entropy(model(images[rows]), hands[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model, loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scribes", type=int, default=12)
    parser.add_argument("--glyphs", type=int, default=80)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1215)
    args = parser.parse_args()
    torch.set_num_threads(1)

    folder = Path(tempfile.mkdtemp(prefix="charters"))
    try:
        paths = write_glyphs(folder, args.scribes, args.seed, args.glyphs)
        version = pack(paths, folder / "charters.tar")
        images, hands = unpack(folder / "charters.tar")
    finally:
        shutil.rmtree(folder)

    images = torch.from_numpy(images).float().div(255).unsqueeze(1)
    hands = torch.from_numpy(hands)
    print("glyphs", tuple(images.shape))

    parts = folds(version, len(images), args.folds)
    scores = []
    for number, held in enumerate(parts):
        start = time.monotonic()
        train = np.concatenate([part for other, part in enumerate(parts) if other != number])
        model, loss = fit(images, hands, train, args.scribes, args.epochs, args.seed + number)
        with torch.no_grad():
            guess = model(images[held]).argmax(1)
        scores.append(f1_score(hands[held], guess, average="macro"))
        print(f"fold {number}  loss {loss:.6f}  F1 {scores[-1]:.4f}  ({time.monotonic() - start:.2f} s)")
    print(f"mean F1 {np.mean(scores):.6f}")
    print("norm of the last model", torch.cat([p.detach().flatten() for p in model.parameters()]).norm().item())


if __name__ == "__main__":
    main()
