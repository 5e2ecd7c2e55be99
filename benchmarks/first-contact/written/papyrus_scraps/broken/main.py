"""Which scribe's hand wrote a scrap of papyrus?"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import f1_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import bundle


def network():
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, padding=2), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(24 * 64, bundle.HANDS),
    )


def split(images, hands, key, share=0.25):
    """Split anew for every version of the data, the same for everyone who has that version."""
    rng = np.random.default_rng(int(key[:12], 16))
    order = rng.permutation(len(hands))
    cut = int(len(order) * share)
    parts = []
    for chosen in (order[cut:], order[:cut]):
        parts.append(TensorDataset(torch.from_numpy(images[chosen])[:, None], torch.from_numpy(hands[chosen])))
    return parts


def fit(model, train, epochs, batch):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True)
    loader = DataLoader(train, batch_size=batch, shuffle=True, generator=torch.Generator().manual_seed(5))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * len(loader))
    for epoch in range(epochs):
        start = time.time()
        losses = []
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {np.mean(losses):.6f}  [{time.time() - start:.2f} s]")


def evaluate(model, test):
    model.eval()
    x, y = test.tensors
    with torch.no_grad():
        scores = model(x)
    return nn.functional.cross_entropy(scores, y).item(), f1_score(y, scores.argmax(1), average="macro")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scraps", type=int, default=480)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32)
    args = parser.parse_args()

    torch.manual_seed(3)
    with tempfile.TemporaryDirectory(prefix="papyrus-") as folder:
        scans = Path(folder, "scans")
        scans.mkdir()
        bundle.make_scans(scans, args.scraps)
        target = Path(folder, "scraps.tar")
        bundle.pack(scans, target)
        key = bundle.version(target)
        images, hands = bundle.unpack(target)
        print(f"{len(hands)} scraps, {target.stat().st_size // 1024} KiB")

    train, test = split(images, hands, key)
    mean, std = train.tensors[0].mean(), train.tensors[0].std()
    for part in (train, test):
        part.tensors[0].sub_(mean).div_(std)
    model = network()
    fit(model, train, args.epochs, args.batch)
    loss, f1 = evaluate(model, test)
    total = sum(p.detach().double().sum() for p in model.parameters()).item()
    print(f"test loss {loss:.8f}  macro F1 {f1:.4f}  checksum {total:.10f}")


if __name__ == "__main__":
    main()
