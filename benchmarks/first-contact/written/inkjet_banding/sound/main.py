"""Tell clogged nozzles from feed errors in scans of printed test sheets."""
import argparse
import hashlib
import logging
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from settings import Settings

log = logging.getLogger("banding")
CLASSES = ("clean", "nozzle", "feed")


def make_scans(settings):
    rng = np.random.default_rng(settings.seed)
    labels = rng.integers(0, len(CLASSES), settings.scans)
    sheets = rng.normal(0.6, 0.12, (settings.scans, settings.size, settings.size))
    for sheet, label in zip(sheets, labels):
        if label == 1:
            sheet[:, rng.integers(0, settings.size, 2)] -= 0.25
        elif label == 2:
            period = rng.integers(4, 8)
            sheet[rng.integers(0, period)::period] += 0.2
    return sheets.astype(np.float32)[:, None], labels


def load_scans(settings):
    """Scans are rendered once per experiment and read back from the work folder."""
    path = Path(settings.workdir) / f"scans-{settings.fingerprint()}.npz"
    if not path.exists():
        sheets, labels = make_scans(settings)
        np.savez(path, sheets=sheets, labels=labels)
        log.info("rendered %d scans into %s", len(labels), path)
    with np.load(path) as stored:
        return torch.from_numpy(stored["sheets"]), torch.from_numpy(stored["labels"])


def build_model(settings):
    torch.manual_seed(settings.seed)
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(256, len(CLASSES)),
    )


class Trainer:
    def __init__(self, settings):
        self.settings = settings
        self.model = build_model(settings)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=settings.lr)
        self.epoch = 0
        self.checkpoint = Path(settings.workdir) / f"{settings.fingerprint()}.pt"
        if self.checkpoint.exists():
            self.resume()

    def resume(self):
        saved = torch.load(self.checkpoint, weights_only=True)
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        torch.set_rng_state(saved["rng"])
        self.epoch = saved["epoch"]
        log.info("resumed at epoch %d", self.epoch)

    def save(self):
        torch.save({"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(),
                    "rng": torch.get_rng_state(), "epoch": self.epoch}, self.checkpoint)

    def fit(self, sheets, labels, until):
        self.model.train()
        while self.epoch < until:
            begun, total = time.perf_counter(), 0.0
            order = torch.randperm(len(labels))
            for rows in order.split(self.settings.batch):
                batch = sheets[rows]
                if torch.rand(()) < 0.5:
                    batch = batch.flip(-1)
                loss = nn.functional.cross_entropy(self.model(batch), labels[rows])
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item() * len(rows)
            self.epoch += 1
            self.save()
            log.info("epoch %d took %.3f s", self.epoch, time.perf_counter() - begun)
            print(f"epoch {self.epoch} loss {total / len(labels):.6f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--keep", action="store_true", help="keep the work folder")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(message)s")
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)

    workdir = tempfile.mkdtemp(prefix="banding-")
    settings = Settings(workdir=workdir, seed=args.seed, epochs=args.epochs)
    try:
        sheets, labels = load_scans(settings)
        order = torch.from_numpy(settings.stream("split").permutation(len(labels)))
        held = int(len(labels) * settings.holdout)
        test, train = order[:held], order[held:]

        # half of the epochs, then go on from the file as a preempted job would
        Trainer(settings).fit(sheets[train], labels[train], settings.epochs // 2)
        trainer = Trainer(settings)
        trainer.fit(sheets[train], labels[train], settings.epochs)

        trainer.model.eval()
        with torch.no_grad():
            hits = (trainer.model(sheets[test]).argmax(1) == labels[test]).float().mean().item()
        digest = hashlib.sha256()
        for value in trainer.model.state_dict().values():
            digest.update(value.numpy().tobytes())
        print(f"held-out accuracy {hits:.4f} weights {digest.hexdigest()[:16]}")
    finally:
        if not args.keep:
            shutil.rmtree(workdir)


if __name__ == "__main__":
    main()
