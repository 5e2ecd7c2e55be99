"""Sort photographs of orchid leaves into healthy, spotted, scorched and rotting ones."""
import argparse
import io
import time
from collections import Counter

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFilter
from sklearn.metrics import balanced_accuracy_score
from torch import nn

from prefetch import Prefetcher

CLASSES = ("healthy", "spotted", "scorched", "rotting")


def photograph(rng, label, side=40):
    green = tuple(int(v) for v in rng.integers((30, 110, 20), (80, 190, 70)))
    image = Image.new("RGB", (side, side), tuple(int(v) for v in rng.integers(150, 230, 3)))
    pen = ImageDraw.Draw(image)
    pen.ellipse((4, 10, side - 4, side - 10), fill=green)
    if CLASSES[label] == "spotted":
        for x, y in rng.integers(10, side - 10, (6, 2)):
            pen.ellipse((x, y, x + 3, y + 3), fill=(70, 40, 20))
    elif CLASSES[label] == "scorched":
        pen.rectangle((side // 2, 10, side - 6, side - 14), fill=(170, 130, 60))
    elif CLASSES[label] == "rotting":
        pen.ellipse((6, 16, side // 2, side - 12), fill=(50, 45, 30))
    image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 2.0)))
    blob = io.BytesIO()
    image.save(blob, "JPEG", quality=85)
    return blob.getvalue()


def build_net():
    def block(a, b):
        return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(4, b), nn.ReLU(), nn.MaxPool2d(2))
    return nn.Sequential(block(3, 12), block(12, 24), block(24, 32), nn.Flatten(), nn.Linear(512, len(CLASSES)))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--photos", type=int, default=320)
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--seed", type=int, default=8)
    args = p.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    labels = rng.integers(0, len(CLASSES), args.photos)
    blobs = [photograph(rng, label) for label in labels]
    print("photos:", dict(sorted(Counter(CLASSES[i] for i in labels).items())))
    held = args.photos // 5

    net = build_net()
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
    for epoch in range(args.epochs):
        net.train()
        began, waited, total = time.perf_counter(), 0.0, 0.0
        mark = began
        for x, y in Prefetcher(blobs[held:], labels[held:], args.batch_size, seed=args.seed + epoch):
            waited += time.perf_counter() - mark
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
            mark = time.perf_counter()
        spent = time.perf_counter() - began
        print(f"epoch {epoch}  loss {total / (args.photos - held):.6f}  [{spent:.2f} s, {waited / spent:.0%} waiting]")

    net.eval()
    pixels = [np.asarray(Image.open(io.BytesIO(b)).crop((4, 4, 36, 36)), np.float32) for b in blobs[:held]]
    with torch.no_grad():
        out = net(torch.from_numpy((np.stack(pixels).transpose(0, 3, 1, 2) - 127.5) / 64.0))
        loss = nn.functional.cross_entropy(out, torch.from_numpy(labels[:held])).item()
    score = balanced_accuracy_score(labels[:held], out.argmax(1).numpy())
    print(f"held-out loss {loss:.8f}  balanced accuracy {score:.4f}")


if __name__ == "__main__":
    main()
