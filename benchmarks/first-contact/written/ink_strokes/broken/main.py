"""Train a small convnet to tell ink strokes apart, under a smudging curriculum."""
import hashlib
import json
import logging
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from strokes import KINDS, StrokeDataset


@dataclass
class Config:
    samples: int = 480
    epochs: int = 4
    batch_size: int = 16
    workers: int = 2
    lr: float = 2e-3
    seed: int = 5


def build_net():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.AdaptiveAvgPool2d(3), nn.Flatten(), nn.Dropout(0.2), nn.Linear(144, len(KINDS)),
    )


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    dataset = StrokeDataset(cfg.samples, cfg.epochs)
    loader = DataLoader(
        dataset,
        batch_size=cfg.batch_size,
        shuffle=True,
        num_workers=cfg.workers,
        persistent_workers=True,
        generator=torch.Generator().manual_seed(cfg.seed),
    )
    net = build_net()
    opt = torch.optim.SGD(net.parameters(), lr=cfg.lr, momentum=0.9, nesterov=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.05, total_steps=cfg.epochs * len(loader))
    history = []
    with tempfile.TemporaryDirectory(prefix="ink-") as tmp:
        logging.basicConfig(filename=Path(tmp) / "train.log", level=logging.INFO, format="%(asctime)s %(message)s")
        (Path(tmp) / "config.json").write_text(json.dumps(asdict(cfg)))
        for epoch in range(cfg.epochs):
            dataset.start_epoch(epoch)
            began = time.perf_counter()
            total, hits = 0.0, 0
            for x, y in loader:
                out = net(x)
                loss = nn.functional.cross_entropy(out, y, label_smoothing=0.05)
                opt.zero_grad()
                loss.backward()
                opt.step()
                sched.step()
                total += loss.item() * len(y)
                hits += (out.argmax(1) == y).sum().item()
            history.append({"epoch": epoch, "loss": total / cfg.samples, "accuracy": hits / cfg.samples})
            logging.info("%s", history[-1])
            rate = cfg.samples / (time.perf_counter() - began)
            print(f"epoch {epoch}: loss {history[-1]['loss']:.5f} accuracy {history[-1]['accuracy']:.3f} ({rate:.0f} img/s)")
        logging.shutdown()

    digest = hashlib.sha256()
    for value in net.state_dict().values():
        digest.update(value.numpy().tobytes())
    print(f"{dataset.served.value} strokes served, final loss {history[-1]['loss']:.8f}, weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
