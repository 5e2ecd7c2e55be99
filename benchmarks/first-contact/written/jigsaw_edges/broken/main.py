#!/usr/bin/env python
# jigsaw edges: is the side of a piece a tab, a socket, or straight?
#
# The photographs are rendered (we lost the rights to the real ones), cached as PNG in a scratch
# folder as the real pipeline does, and read back from there.
import json
import shutil
import tempfile
import zlib
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
from PIL import Image, ImageDraw, ImageFilter

KINDS = ["tab", "socket", "straight"]
SIDE = 32
PIECES = 540
EPOCHS = 6
HELD_OUT = 0.2


def render(rng, kind):
    shade = int(rng.integers(110, 200))
    img = Image.new("L", (SIDE, SIDE), 20)
    pen = ImageDraw.Draw(img)
    rim = int(rng.integers(13, 18))
    pen.rectangle([0, rim, SIDE, SIDE], fill=shade)
    x = int(rng.integers(11, 21))
    r = int(rng.integers(3, 6))
    if kind == "tab":
        pen.ellipse([x - r, rim - 2 * r + 1, x + r, rim + 1], fill=shade)
    elif kind == "socket":
        pen.ellipse([x - r, rim - 1, x + r, rim + 2 * r - 1], fill=20)
    img = img.rotate(float(rng.normal(0, 6)), fillcolor=20)
    img = img.filter(ImageFilter.GaussianBlur(float(rng.uniform(0.3, 1.1))))
    noise = rng.normal(0, 26, size=(SIDE, SIDE))
    return Image.fromarray(np.clip(np.asarray(img) + noise, 0, 255).astype(np.uint8))


def fill_cache(folder):
    rng = np.random.default_rng(52)
    for i in range(PIECES):
        kind = KINDS[int(rng.integers(len(KINDS)))]
        sub = folder / kind
        sub.mkdir(exist_ok=True)
        render(rng, kind).save(sub / f"piece{i:04d}.png")


def is_held_out(path):
    # depends on the file alone, so that pieces stay where they are when others are added
    return zlib.crc32(str(path).encode()) / 2**32 < HELD_OUT


def load(folder):
    parts = {"train": ([], []), "test": ([], [])}
    for path in sorted(folder.glob("*/*.png")):
        pixels, labels = parts["test" if is_held_out(path) else "train"]
        pixels.append(np.asarray(Image.open(path), dtype=np.float32) / 255)
        labels.append(KINDS.index(path.parent.name))
    return {
        name: (torch.from_numpy(np.stack(pixels))[:, None], torch.tensor(labels))
        for name, (pixels, labels) in parts.items()
    }


def make_net():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(24, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(96, len(KINDS)),
    )


def confusion(net, x, y):
    net.eval()
    with torch.inference_mode():
        guess = net(x).argmax(1)
    table = torch.zeros(len(KINDS), len(KINDS), dtype=torch.long)
    for t, g in zip(y.tolist(), guess.tolist()):
        table[t, g] += 1
    return table


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1766)
    scratch = Path(tempfile.mkdtemp(prefix="jigsaw-"))
    try:
        fill_cache(scratch)
        data = load(scratch)
    finally:
        shutil.rmtree(scratch)

    x, y = data["train"]
    print("train", len(y), "test", len(data["test"][1]))
    mean, std = x.mean(), x.std()
    net = make_net()
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
    for epoch in range(EPOCHS):
        net.train()
        losses = []
        for idx in torch.randperm(len(y)).split(32):
            xb = (x[idx] - mean) / std
            if torch.rand(()) < 0.5:
                xb = xb.flip(3)
            loss = nn.functional.cross_entropy(net(xb), y[idx], label_smoothing=0.05)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            losses.append(loss.item())
        sched.step()
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.5f}")

    tx, ty = data["test"]
    table = confusion(net, (tx - mean) / std, ty)
    accuracy = table.diag().sum().item() / len(ty)
    print("accuracy", round(accuracy, 4))
    for kind, row in zip(KINDS, table.tolist()):
        print(f"  {kind:9s}", row)
    Path("edges.json").write_text(json.dumps({"accuracy": accuracy, "confusion": table.tolist()}))
    torch.save(net.state_dict(), "edges.pt")


main()
