"""Find faults in knitted cloth from small grey patches."""

import argparse
import json
import logging
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

import cloth
from dataset import Augment, ClothPatches
from model import Average, FaultNet

logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
log = logging.getLogger("knit")


def run_name():
    """Something to tell runs apart by; new each time."""
    words = ("purl", "garter", "moss", "cable", "rib", "seed", "lace")
    rng = np.random.default_rng()
    return f"{rng.choice(words)}-{rng.integers(1000, 9999)}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patches", type=int, default=1000)
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--rate", type=float, default=1e-2)
    parser.add_argument("--seed", type=int, default=58)
    parser.add_argument("--out", type=Path, default=Path("out"))
    return parser.parse_args()


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    confusion = torch.zeros(len(cloth.KINDS), len(cloth.KINDS), dtype=torch.long)
    for images, labels in loader:
        for truth, guess in zip(labels.tolist(), model(images).argmax(dim=1).tolist()):
            confusion[truth, guess] += 1
    return confusion.diagonal().sum().item() / confusion.sum().item(), confusion.tolist()


def main():
    options = parse_arguments()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    log.info("run %s", run_name())

    images, labels = cloth.weave(options.patches, options.size, options.seed)
    cut = int(0.8 * len(labels))
    train_set = ClothPatches(images[:cut], labels[:cut], seed=options.seed, augment=Augment())
    test_set = ClothPatches(images[cut:], labels[cut:])
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=100)

    model = FaultNet(len(cloth.KINDS))
    average = Average(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=options.rate, total_steps=options.epochs * len(train_loader)
    )
    for epoch in range(options.epochs):
        train_set.set_epoch(epoch)
        model.train()
        began, losses = time.perf_counter(), []
        for batch, target in train_loader:
            loss = F.cross_entropy(model(batch), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            average.update(model)
            losses.append(loss.item())
        log.info("epoch %d loss %.5f [%.2f s]", epoch, sum(losses) / len(losses), time.perf_counter() - began)

    model.load_state_dict(average.state)
    accuracy, confusion = evaluate(model, test_loader)
    log.info("accuracy %.4f", accuracy)
    options.out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), options.out / "model.pt")
    (options.out / "results.json").write_text(json.dumps({"accuracy": accuracy, "confusion": confusion}))


if __name__ == "__main__":
    main()
