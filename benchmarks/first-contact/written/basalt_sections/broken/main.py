"""Texture of basalt in thin section. Two processes render shards, the training streams them."""
import json
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from render import TEXTURES, render_all
from shards import ShardStream, load_all

HERE = Path(__file__).resolve().parent
SEED, SHARDS, EPOCHS = 3, 16, 3


def make_model():
    return nn.Sequential(
        nn.Conv2d(1, 10, 5, stride=2, padding=2), nn.BatchNorm2d(10), nn.ReLU(),
        nn.Conv2d(10, 20, 3, stride=2, padding=1), nn.BatchNorm2d(20), nn.ReLU(),
        nn.Flatten(), nn.Linear(20 * 49, len(TEXTURES)),
    )


def main():
    began = time.time()
    torch.set_num_threads(1)
    train_folder = render_all(HERE / "shards" / "train", SHARDS, SEED)
    test_folder = render_all(HERE / "shards" / "test", 4, SEED + 1)
    print(f"rendered in {time.time() - began:.2f} s")
    torch.manual_seed(SEED)
    loader = DataLoader(ShardStream(train_folder, SEED), batch_size=24)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.008, momentum=0.9)
    curve = []
    for epoch in range(EPOCHS):
        model.train()
        losses = []
        for images, kinds in loader:
            loss = nn.functional.cross_entropy(model(images), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        curve.append(sum(losses) / len(losses))
        print(f"epoch {epoch} loss {curve[-1]:.5f} ({time.time() - began:.1f} s)", flush=True)
    model.eval()
    right = total = 0
    with torch.no_grad():
        for images, kinds in load_all(test_folder):
            right += int((model(images).argmax(1) == kinds).sum())
            total += len(kinds)
    print(f"{right} of {total} test sections")
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "weights.pt")
    (out / "results.json").write_text(json.dumps({"curve": curve, "right": right, "total": total}))


if __name__ == "__main__":
    main()
