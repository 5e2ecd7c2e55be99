"""Grades photographs of shingles by the number and kind of vesicles."""
import json
import pickle
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFilter
from torch import nn
from torch.utils.data import DataLoader, Dataset

from settings import Settings

GRADES = 3


def photograph(rng, grade, side):
    skin = tuple(int(v) for v in rng.integers([190, 140, 110], [240, 190, 160]))
    image = Image.new("RGB", (side * 2, side * 2), skin)
    draw = ImageDraw.Draw(image)
    for _ in range(2 + 5 * grade + int(rng.integers(0, 3))):
        x, y = rng.uniform(4, 2 * side - 4, 2)
        r = rng.uniform(1.5, 3.5)
        draw.ellipse((x - r, y - r, x + r, y + r), fill=(200, int(60 + 20 * r), 70))
    return image.filter(ImageFilter.GaussianBlur(1)).resize((side, side))


class Photographs(Dataset):
    """Flips and brightness are drawn anew for each use."""

    def __init__(self, folder, first, last):
        self.folder, self.numbers = Path(folder), range(first, last)
        self.grades = json.loads((self.folder / "grades.json").read_text())

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        number = self.numbers[index]
        with Image.open(self.folder / f"{number:04d}.png") as image:
            pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1).float() / 255
        if torch.rand(()) < 0.5:
            pixels = pixels.flip(-1)
        return pixels * (0.9 + 0.2 * torch.rand(())), self.grades[number]


def prepare(settings, folder):
    rng = np.random.default_rng(1907)
    grades = [int(g) for g in rng.integers(0, GRADES, settings.images)]
    for number, grade in enumerate(grades):
        photograph(rng, grade, settings.side).save(Path(folder) / f"{number:04d}.png")
    (Path(folder) / "grades.json").write_text(json.dumps(grades))


def build(width):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(3),
        nn.Flatten(),
        nn.Linear(18 * width, GRADES),
    )


def train(settings, folder):
    torch.manual_seed(settings.seed("weights"))
    model = build(settings.width)
    loader = DataLoader(
        Photographs(folder, 0, settings.images),
        batch_size=settings.batch,
        shuffle=True,
        num_workers=2,
        persistent_workers=True,
        generator=torch.Generator().manual_seed(settings.seed("loader")),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr)
    curve = []
    for epoch in range(settings.epochs):
        started, total = time.perf_counter(), 0.0
        for pixels, grades in loader:
            loss = settings.criterion(model(pixels), grades)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        curve.append(total / len(loader))
        print(f"epoch {epoch}: loss {curve[-1]:.7f} ({time.perf_counter() - started:.2f} s)")
    return model, curve


def main():
    settings = replace(Settings(), epochs=3)
    print(json.dumps(settings.summary()))
    with tempfile.TemporaryDirectory() as folder:
        prepare(settings, folder)
        model, curve = train(settings, folder)
        results = Path(folder) / settings.key()[:12]
        results.mkdir()
        torch.save(model.state_dict(), results / "model.pt")
        (results / "curve.pkl").write_bytes(pickle.dumps(curve))
        saved = torch.load(results / "model.pt")
        final = pickle.loads((results / "curve.pkl").read_bytes())[-1]
    checksum = sum(p.double().abs().sum().item() for p in saved.values())
    print(f"loss {final:.9f} weights {checksum:.9f}")


if __name__ == "__main__":
    main()
