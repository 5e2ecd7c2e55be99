# Woven fabric inspection: photograph rolls, cut the photographs into tiles, tell good tiles
# from broken picks, slubs and oil stains with a small convnet.
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from PIL import Image, ImageFilter

KINDS = ["good", "broken_pick", "slub", "stain"]
PHOTOS = Path("photos")
TILE = 24
GRID = 3
N_PHOTOS = 220
SEED = 77


def weave(rng, size):
    """Plain weave: two crossing gratings, uneven yarn, uneven light."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float64)
    pitch = rng.uniform(3.2, 4.4)
    warp = np.sin(2 * np.pi * x / pitch + rng.normal(0, 0.5, size)[None, :])
    weft = np.sin(2 * np.pi * y / pitch + rng.normal(0, 0.5, size)[:, None])
    light = 0.25 * np.cos(2 * np.pi * (x * rng.normal() + y * rng.normal()) / (4 * size))
    return 120 + 28 * warp * weft + 40 * light + rng.normal(0, 7, (size, size))


def spoil(rng, cloth, kind, top, left):
    tile = cloth[top:top + TILE, left:left + TILE]
    if kind == 1:
        row = rng.integers(4, TILE - 5)
        tile[row:row + 2] -= rng.uniform(8, 30)
    elif kind == 2:
        row, start = rng.integers(4, TILE - 6), rng.integers(0, TILE // 2)
        tile[row:row + 3, start:start + TILE // 2] += rng.uniform(8, 30)
    elif kind == 3:
        yy, xx = np.mgrid[0:TILE, 0:TILE]
        cy, cx = rng.uniform(6, TILE - 6, size=2)
        tile -= rng.uniform(12, 40) * np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / 30.0)


def photograph(rng):
    """Writes the photographs and returns the inspector's sheet, one line for each tile."""
    PHOTOS.mkdir(exist_ok=True)
    sheet = []
    for roll in range(N_PHOTOS):
        cloth = weave(rng, TILE * GRID)
        for cell in range(GRID * GRID):
            kind = int(rng.choice(4, p=[0.4, 0.2, 0.2, 0.2]))
            spoil(rng, cloth, kind, TILE * (cell // GRID), TILE * (cell % GRID))
            sheet.append((f"roll{roll:04d}.png", cell, kind))
        Image.fromarray(cloth.clip(0, 255).astype(np.uint8)).save(PHOTOS / f"roll{roll:04d}.png")
    return pd.DataFrame(sheet, columns=["photo", "cell", "kind"])


def cut(photo):
    """All tiles of a photograph, flattened for uneven light and normalized."""
    with Image.open(PHOTOS / photo) as image:
        background = image.filter(ImageFilter.GaussianBlur(12))
        flat = np.asarray(image, np.float32) - np.asarray(background, np.float32)
    flat = (flat - flat.mean()) / (flat.std() + 1e-6)
    tiles = flat.reshape(GRID, TILE, GRID, TILE).transpose(0, 2, 1, 3).reshape(-1, TILE, TILE)
    return [{"photo": photo, "cell": cell, "pixels": tile, "contrast": float(tile.std())}
            for cell, tile in enumerate(tiles)]


def cut_all(photos, threads=4):
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(cut, photo) for photo in photos]
        done, pending = wait(futures, timeout=300)
        if pending:
            raise TimeoutError(f"{len(pending)} photographs were not read in time")
        rows = []
        for future in done:
            rows.extend(future.result())
    return pd.DataFrame(rows)


class Inspector(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 5, padding=2), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.classify = nn.Sequential(nn.Flatten(), nn.Dropout(0.25), nn.Linear(16 * 36, len(KINDS)))

    def forward(self, x):
        return self.classify(self.features(x))


def batches(frame, size, shuffle):
    order = torch.randperm(len(frame)).numpy() if shuffle else np.arange(len(frame))
    for start in range(0, len(frame), size):
        part = frame.iloc[order[start:start + size]]
        yield torch.from_numpy(np.stack(part["pixels"].tolist()))[:, None], torch.tensor(part["kind"].to_numpy())


def train(model, frame, epochs):
    weight = torch.tensor(1.0 / frame["kind"].value_counts(normalize=True).sort_index().to_numpy(), dtype=torch.float32)
    criterion = nn.CrossEntropyLoss(weight=weight / weight.mean())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True)
    for epoch in range(epochs):
        model.train()
        began, losses = time.perf_counter(), []
        for pixels, kind in batches(frame, 48, shuffle=True):
            loss = criterion(model(pixels), kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}  loss {np.mean(losses):.5f}  ({time.perf_counter() - began:.1f} s)")


@torch.no_grad()
def predict(model, frame):
    model.eval()
    return np.concatenate([model(pixels).argmax(1).numpy() for pixels, _ in batches(frame, 256, shuffle=False)])


if __name__ == "__main__":
    torch.manual_seed(SEED)
    sheet = photograph(np.random.default_rng(SEED))
    tiles = cut_all(sheet["photo"].unique()).merge(sheet, on=["photo", "cell"])
    in_test = tiles["photo"].str[4:8].astype(int) % 5 == 0
    train_tiles, test_tiles = tiles[~in_test], tiles[in_test].copy()
    print(f"{len(train_tiles)} tiles to train on, {len(test_tiles)} to test, mean contrast {tiles['contrast'].mean():.4f}")

    model = Inspector()
    train(model, train_tiles, epochs=6)
    test_tiles["guess"] = predict(model, test_tiles)
    table = pd.crosstab(test_tiles["kind"], test_tiles["guess"]).reindex(columns=range(4), fill_value=0)
    table.index, table.columns = KINDS, KINDS
    print(table)
    print(f"accuracy {(test_tiles['kind'] == test_tiles['guess']).mean():.4f}")
    wrong = test_tiles[test_tiles["kind"] != test_tiles["guess"]]
    wrong[["photo", "cell", "kind", "guess"]].sort_values(["photo", "cell"]).to_csv("to_review.csv", index=False)
    torch.save(model.state_dict(), "inspector.pt")
