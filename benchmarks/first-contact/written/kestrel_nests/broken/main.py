"""Counts kestrel chicks in stills of nest-box cameras."""
import argparse
import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFilter
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

from fetch import load_folder

CLASSES = 4


def draw_stills(folder, count, seed):
    rng = np.random.default_rng(seed)
    index = []
    for i in range(count):
        width, height = (int(v) for v in rng.integers(90, 220, size=2))
        canvas = Image.fromarray(rng.integers(40, 90, size=(height, width), dtype=np.uint8))
        pen = ImageDraw.Draw(canvas)
        chicks = int(rng.integers(CLASSES))
        for _ in range(chicks):
            x, y = rng.uniform(0.15, 0.85) * width, rng.uniform(0.15, 0.85) * height
            r = rng.uniform(0.07, 0.12) * min(width, height)
            pen.ellipse((x - r, y - r, x + r, y + r), fill=int(rng.integers(170, 240)))
        name = f"box{i % 9:02d}_{i:04d}.png"
        canvas.filter(ImageFilter.GaussianBlur(1.2)).save(folder / name)
        index.append({"file": name, "chicks": chicks})
    (folder / "index.json").write_text(json.dumps(index))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(16 * 36, 32), nn.ReLU(), nn.Linear(32, CLASSES),
        )

    def forward(self, x):
        return self.net(x)


def flip(batch, generator):
    mask = torch.rand(len(batch), generator=generator) < 0.5
    return torch.where(mask[:, None, None, None], batch.flip(-1), batch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stills", type=int, default=420)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=23)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    with tempfile.TemporaryDirectory(prefix="nests-") as name:
        folder = Path(name)
        draw_stills(folder, args.stills, args.seed)
        index = json.loads((folder / "index.json").read_text())
        entries = [(folder / row["file"], row["chicks"]) for row in index]
        pixels, labels, stats = load_folder(entries, args.readers)
    print(f"read {stats['read']} stills, {1000 * stats['seconds'] / stats['read']:.2f} ms each")

    data = TensorDataset(torch.from_numpy(pixels), torch.from_numpy(labels))
    train, test = random_split(data, [0.8, 0.2], generator=torch.Generator().manual_seed(args.seed))
    loader = DataLoader(train, batch_size=32, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed + 1))
    augment = torch.Generator().manual_seed(args.seed + 2)
    model = Counter()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    for epoch in range(args.epochs):
        model.train()
        losses = []
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(flip(x, augment)), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
        print(f"epoch {epoch} loss {np.mean(losses):.6f}")
    model.eval()
    with torch.no_grad():
        x, y = next(iter(DataLoader(test, batch_size=len(test))))
        logits = model(x)
    print(f"test loss {nn.functional.cross_entropy(logits, y).item():.6f} "
          f"accuracy {(logits.argmax(1) == y).float().mean().item():.4f}")
    digest = hashlib.sha256()
    for key, value in sorted(model.state_dict().items()):
        digest.update(key.encode() + value.numpy().tobytes())
    print("weights", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()
