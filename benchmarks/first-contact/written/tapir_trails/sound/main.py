"""Find tapirs in the frames of camera traps at night."""
import argparse
import json
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch import nn

from prefetch import Prefetcher


def draw_frame(rng, tapir):
    image = Image.new("L", (24, 24), color=int(rng.integers(20, 60)))
    pen = ImageDraw.Draw(image)
    for _ in range(4):
        x = int(rng.integers(24))
        pen.line([(x, 0), (x + int(rng.integers(-4, 5)), 23)], fill=int(rng.integers(60, 110)))
    if tapir:
        x, y = (int(v) for v in rng.integers(3, 10, 2))
        pen.ellipse([x, y, x + 11, y + 6], fill=int(rng.integers(120, 190)))
        pen.ellipse([x + 9, y + 2, x + 14, y + 5], fill=int(rng.integers(120, 190)))
    return np.asarray(image, dtype=np.float32) / 255.0


def make_frames(path, count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, count)
    frames = np.stack([draw_frame(rng, bool(t)) for t in labels])
    path.write_bytes(pickle.dumps({"frames": frames, "labels": labels}))


def network():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.Dropout2d(0.1),
        nn.Conv2d(12, 12, 3, stride=2, padding=1), nn.ReLU(), nn.Dropout(0.2),
        nn.Flatten(), nn.Linear(12 * 100, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=640)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory() as tmp:
        path = Path(tmp) / "frames.pkl"
        make_frames(path, args.frames, args.seed)
        stored = pickle.loads(path.read_bytes())
    frames = torch.from_numpy(stored["frames"]).unsqueeze(1)
    labels = torch.from_numpy(stored["labels"])
    held = 128

    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    generator = torch.Generator().manual_seed(args.seed)
    feed = Prefetcher(frames[held:], labels[held:], args.batch, crop=20, generator=generator)
    started = time.perf_counter()
    history = []
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, y in feed:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        model.eval()
        with torch.no_grad():
            scores = model(frames[:held, :, 2:22, 2:22])
            valid = nn.functional.cross_entropy(scores, labels[:held]).item()
        history.append({"epoch": epoch, "train": total / (args.frames - held), "valid": valid})
        print(json.dumps(history[-1]))
    seconds = time.perf_counter() - started
    print(f"{args.epochs * (args.frames - held) / seconds:.0f} frames/s")
    print(f"final validation loss {history[-1]['valid']:.9f}")


if __name__ == "__main__":
    main()
