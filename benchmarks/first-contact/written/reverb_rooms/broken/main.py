import argparse
import json
import logging
import random
import secrets
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from scipy.io import wavfile
from torch.utils.data import DataLoader, TensorDataset

from rooms import RoomBank
from sounds import LABELS, RATE, record

HERE = Path(__file__).resolve().parent


def parse_args():
    p = argparse.ArgumentParser(description="Far-field sound event classifier")
    p.add_argument("--clips", type=int, default=540)
    p.add_argument("--rooms", type=int, default=18)
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=11)
    p.add_argument("--out", type=Path, default=HERE / "out")
    return p.parse_args()


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def open_log(out):
    run = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    (out / "logs").mkdir(parents=True, exist_ok=True)
    log = logging.getLogger("reverb")
    log.setLevel(logging.INFO)
    for handler in (logging.StreamHandler(), logging.FileHandler(out / "logs" / f"{run}.log")):
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        log.addHandler(handler)
    return log


def write_dry(folder, count, rng):
    """Lay the dry recordings out as the microphones would have delivered them."""
    for i in range(count):
        label = LABELS[i % len(LABELS)]
        sample = (record(label, rng) * 32767).astype(np.int16)
        wavfile.write(folder / f"{i:04d}_{label}.wav", RATE, sample)


def read_dry(folder):
    for path in sorted(folder.glob("*.wav")):
        rate, sample = wavfile.read(path)
        assert rate == RATE
        yield path.stem.split("_", 1)[1], sample.astype(np.float32) / 32768


class LogMel(nn.Module):
    def __init__(self, n_fft=256, hop=128, bands=32):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("bank", self._bank(n_fft // 2 + 1, bands))

    @staticmethod
    def _bank(bins, bands):
        top = 2595 * np.log10(1 + RATE / 2 / 700)
        edges = 700 * (10 ** (np.linspace(0, top, bands + 2) / 2595) - 1)
        freq = np.linspace(0, RATE / 2, bins)
        rows = []
        for lo, mid, hi in zip(edges, edges[1:], edges[2:]):
            rows.append(np.clip(np.minimum((freq - lo) / (mid - lo), (hi - freq) / (hi - mid)), 0, None))
        return torch.tensor(np.array(rows), dtype=torch.float32)

    def forward(self, x):
        spec = torch.stft(x, self.n_fft, self.hop, window=self.window, return_complex=True)
        return torch.log(self.bank @ spec.abs().pow(2) + 1e-4)


class EventNet(nn.Module):
    def __init__(self, classes, width=16):
        super().__init__()
        self.features = LogMel()
        self.body = nn.Sequential(
            nn.BatchNorm2d(1),
            nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.ReLU(),
        )
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, x):
        h = self.body(self.features(x).unsqueeze(1))
        return self.head(self.drop(h.amax(dim=(2, 3))))


def build_sets(args, log):
    rng = np.random.default_rng(args.seed)
    bank = RoomBank(args.rooms, RATE, seed=args.seed + 1).prepare(RATE)
    log.info("%s", bank.summary())
    clips, labels, rooms = [], [], []
    with tempfile.TemporaryDirectory(prefix="dry-") as tmp:
        write_dry(Path(tmp), args.clips, rng)
        for label, dry in read_dry(Path(tmp)):
            room = int(rng.integers(len(bank)))
            distance = rng.uniform(0.5, 4.0)
            clips.append(bank.play(dry, room, distance, rng))
            labels.append(LABELS.index(label))
            rooms.append(room)
    x = torch.from_numpy(np.stack(clips))
    y = torch.tensor(labels)
    unseen = torch.tensor(rooms) >= args.rooms - 4
    return TensorDataset(x[~unseen], y[~unseen]), TensorDataset(x[unseen], y[unseen])


def evaluate(model, data):
    model.eval()
    x, y = data.tensors
    with torch.no_grad():
        logits = torch.cat([model(part) for part in x.split(64)])
    return F.cross_entropy(logits, y).item(), (logits.argmax(1) == y).float().mean().item()


def main():
    args = parse_args()
    seed_all(args.seed)
    log = open_log(args.out)
    began = time.perf_counter()
    train_set, test_set = build_sets(args, log)
    log.info("%d clips for training, %d in unseen rooms, %.1f s",
             len(train_set), len(test_set), time.perf_counter() - began)

    loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = EventNet(len(LABELS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=args.epochs * len(loader))
    history = []
    for epoch in range(args.epochs):
        model.train()
        started, total = time.perf_counter(), 0.0
        for x, y in loader:
            shift = int(torch.randint(0, 400, ()))
            loss = F.cross_entropy(model(torch.roll(x, shift, dims=1)), y, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(y)
        test_loss, accuracy = evaluate(model, test_set)
        history.append({"epoch": epoch, "train_loss": total / len(train_set),
                        "test_loss": test_loss, "accuracy": accuracy})
        log.info("epoch %d  loss %.5f  unseen rooms %.5f  accuracy %.3f  (%.1f s)", epoch,
                 history[-1]["train_loss"], test_loss, accuracy, time.perf_counter() - started)

    torch.save(model.state_dict(), args.out / "event_net.pt")
    (args.out / "history.json").write_text(json.dumps(history, indent=1))
    print(f"unseen rooms: loss {history[-1]['test_loss']:.6f}, accuracy {history[-1]['accuracy']:.4f}")


if __name__ == "__main__":
    main()
