"""Tells four gong makers apart by the sound of one strike."""
import argparse
import hashlib
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from views import VIEWS

MAKERS = {
    "wuhan": (1.0, 1.51, 2.17, 2.83),
    "paiste": (1.0, 1.42, 2.05, 3.10),
    "java": (1.0, 1.98, 2.94, 4.02),
    "burma": (1.0, 1.60, 2.51, 2.69),
}


def strikes(per_maker: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    t = torch.arange(4096) / 8000.0
    waves, labels = [], []
    for label, ratios in enumerate(MAKERS.values()):
        for _ in range(per_maker):
            base = 180 + 60 * torch.rand(1, generator=gen)
            wave = torch.zeros_like(t)
            for k, ratio in enumerate(ratios):
                phase = 6.2832 * torch.rand(1, generator=gen)
                decay = 2.0 + 3.0 * k * torch.rand(1, generator=gen)
                wave += torch.exp(-decay * t) * torch.sin(6.2832 * base * ratio * t + phase) / (k + 1)
            waves.append(wave + 0.1 * torch.randn(t.shape, generator=gen))
            labels.append(label)
    return torch.stack(waves), torch.tensor(labels)


class CachedStrikes(Dataset):
    """Spectrograms on disk, one file for each view."""

    def __init__(self, folder: Path, names, labels):
        self.specs = [torch.load(folder / f"{name}.pt") for name in names]
        self.labels = labels

    def __len__(self):
        return len(self.labels) * len(self.specs)

    def __getitem__(self, i):
        view, item = divmod(i, len(self.labels))
        spec = self.specs[view][item]
        shift = int(torch.randint(0, 6, ()))
        return torch.roll(spec, shift, dims=-1).unsqueeze(0), self.labels[item]


def build_cache(folder: Path, waves, seed):
    for view in VIEWS:
        gen = torch.Generator().manual_seed(view.seed(seed))
        torch.save(view.spectrogram(view.perturb(waves, gen)), folder / f"{view.name}.pt")


def network():
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d((4, 2)),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, len(MAKERS)),
    )


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=11)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--per-maker", type=int, default=40)
    ap.add_argument("--workers", type=int, default=2)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    waves, labels = strikes(args.per_maker, args.seed)
    test_waves, test_labels = strikes(15, args.seed + 1)
    net = network()
    opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
    loss_fn = nn.CrossEntropyLoss()

    with tempfile.TemporaryDirectory(prefix="gongs-") as tmp:
        folder = Path(tmp)
        build_cache(folder, waves, args.seed)
        data = CachedStrikes(folder, [v.name for v in VIEWS], labels)
        loader = DataLoader(data, batch_size=32, shuffle=True, num_workers=args.workers,
                            generator=torch.Generator().manual_seed(args.seed),
                            persistent_workers=args.workers > 0,
                            multiprocessing_context="fork" if args.workers else None)
        for epoch in range(args.epochs):
            begun, total = time.perf_counter(), 0.0
            net.train()
            for spec, label in loader:
                opt.zero_grad()
                loss = loss_fn(net(spec), label)
                loss.backward()
                opt.step()
                total += loss.item() * len(label)
            rate = len(data) / (time.perf_counter() - begun)
            print(f"epoch {epoch}: loss {total / len(data):.6f} ({rate:.0f} strikes/s)")

    net.eval()
    with torch.no_grad():
        votes = sum(net(v.spectrogram(test_waves).unsqueeze(1)).softmax(1) for v in VIEWS)
    accuracy = (votes.argmax(1) == test_labels).float().mean().item()
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in net.parameters()))
    print(f"test accuracy {accuracy:.4f}  weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
