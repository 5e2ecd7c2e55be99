"""Land cover of a river delta from small orthophoto tiles."""

import json
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from scenes import COVERS, Tiles, cut_tiles, in_test, list_tiles

SETTINGS = {"epochs": 4, "batch": 24, "lr": 3e-3, "workers": 2, "seed": 99}


def build():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, len(COVERS)),
    )


def run_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for pixels, cover in loader:
        loss = nn.functional.cross_entropy(model(pixels), cover, label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(cover)
    return total / len(loader.dataset)


@torch.no_grad()
def confusion(model, loader):
    model.eval()
    table = np.zeros((len(COVERS), len(COVERS)), dtype=int)
    for pixels, cover in loader:
        np.add.at(table, (cover.numpy(), model(pixels).argmax(1).numpy()), 1)
    return table


def main():
    torch.manual_seed(SETTINGS["seed"])
    print(json.dumps(SETTINGS))
    with tempfile.TemporaryDirectory(prefix="delta-") as folder:
        root = Path(folder) / "tiles"
        cut_tiles(root)
        tiles = list_tiles(root)
        held_out = {path for path in tiles if in_test(path, root)}
        train = Tiles([path for path in tiles if path not in held_out], flip=True)
        test = Tiles([path for path in tiles if path in held_out])
        print(f"{len(train)} tiles to learn from, {len(test)} held out")

        generator = torch.Generator().manual_seed(SETTINGS["seed"])
        loader = DataLoader(train, SETTINGS["batch"], shuffle=True, num_workers=SETTINGS["workers"],
                            persistent_workers=True, generator=generator)
        model = build()
        optimizer = torch.optim.SGD(model.parameters(), lr=SETTINGS["lr"] * 10, momentum=0.9, nesterov=True)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, SETTINGS["epochs"])
        for epoch in range(SETTINGS["epochs"]):
            began = time.perf_counter()
            loss = run_epoch(model, loader, optimizer)
            schedule.step()
            print(f"epoch {epoch}  loss {loss:.6f}  {len(train) / (time.perf_counter() - began):.0f} tiles/s")
        table = confusion(model, DataLoader(test, 64))

    print(table)
    crc = 0
    for value in model.state_dict().values():
        crc = zlib.crc32(value.numpy().tobytes(), crc)
    print(f"accuracy {np.trace(table) / table.sum():.4f}  weights {crc:08x}")


if __name__ == "__main__":
    main()
