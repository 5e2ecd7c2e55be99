import argparse
import json
import os
import random
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import confusion_matrix, f1_score
from torch import nn
from torch.utils.data import DataLoader

from dataset import load
from render import DENOMINATIONS


@dataclass
class Config:
    coins: int = 330
    processes: int = 3
    epochs: int = 6
    batch_size: int = 32
    lr: float = 0.02
    momentum: float = 0.9
    seed: int = 0
    out: str = "out"


def parse():
    parser = argparse.ArgumentParser()
    for name, value in asdict(Config()).items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    return Config(**vars(parser.parse_args()))


def seed_everything(seed):
    os.environ["PYTHONHASHSEED"] = str(seed)
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.backends.cudnn.benchmark = False


def conv(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2))


class CoinNet(nn.Module):
    def __init__(self, kinds):
        super().__init__()
        self.trunk = nn.Sequential(conv(1, 12), conv(12, 24), conv(24, 32), nn.Flatten(), nn.Dropout(0.3))
        self.face = nn.Linear(32 * 25, 2)
        self.kind = nn.Linear(32 * 25, kinds)

    def forward(self, x):
        h = self.trunk(x)
        return self.face(h), self.kind(h)


def train_epoch(net, loader, optimizer):
    net.train()
    loss_fn = nn.CrossEntropyLoss()
    total = 0.0
    for photo, face, kind in loader:
        face_logits, kind_logits = net(photo)
        loss = loss_fn(face_logits, face) + loss_fn(kind_logits, kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(photo)
    return total / len(loader.dataset)


@torch.no_grad()
def predict(net, dataset):
    net.eval()
    face, kind = [], []
    for photo, _, _ in DataLoader(dataset, batch_size=128):
        a, b = net(photo)
        face.append(a.argmax(1))
        kind.append(b.argmax(1))
    return torch.cat(face).numpy(), torch.cat(kind).numpy()


def save_whole(state, path):
    """Never leave half a file behind."""
    handle, partial = tempfile.mkstemp(dir=path.parent, suffix=".part")
    os.close(handle)
    torch.save(state, partial)
    os.replace(partial, path)


def main():
    config = parse()
    seed_everything(config.seed)
    out = Path(config.out)
    out.mkdir(exist_ok=True)

    clock = time.time()
    train_set, test_set, names = load(config.coins, config.processes, config.seed)
    print(f"{len(train_set)} + {len(test_set)} photographs of {', '.join(names)} in {time.time() - clock:.2f} s")

    loader = DataLoader(train_set, batch_size=config.batch_size, shuffle=True, drop_last=True)
    net = CoinNet(len(DENOMINATIONS))
    optimizer = torch.optim.SGD(net.parameters(), lr=config.lr, momentum=config.momentum, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)

    scores = []
    for epoch in range(config.epochs):
        clock = time.time()
        loss = train_epoch(net, loader, optimizer)
        schedule.step()
        face, kind = predict(net, test_set)
        scores.append({
            "epoch": epoch,
            "loss": loss,
            "face_f1": float(f1_score(test_set.faces.numpy(), face)),
            "kind_f1": float(f1_score(test_set.kinds.numpy(), kind, average="macro")),
        })
        print(f"{epoch}: loss {loss:.4f}  face {scores[-1]['face_f1']:.3f}  kind {scores[-1]['kind_f1']:.3f}"
              f"  [{time.time() - clock:.1f} s]")

    save_whole(net.state_dict(), out / "coin_net.pt")
    table = confusion_matrix(test_set.kinds.numpy(), kind).tolist()
    (out / "scores.json").write_text(json.dumps({"scores": scores, "confusion": table}, indent=1))
    with open(out / "history.log", "a") as log:
        print(time.strftime("%F %T"), os.getpid(), json.dumps(asdict(config)), file=log)
    last = scores[-1]
    print(f"face F1 {last['face_f1']:.4f}, denomination F1 {last['kind_f1']:.4f}, loss {last['loss']:.6f}")


if __name__ == "__main__":
    main()
