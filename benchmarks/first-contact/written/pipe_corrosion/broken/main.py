"""Grade pipe walls from ultrasonic scans, with hard-example mining."""

import json
import logging
import time
import uuid
from pathlib import Path

import torch
import torch.nn.functional as F

import scans
from mining import HardBank
from network import WallNet

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
log = logging.getLogger("pipes")

RUNS = Path("runs")
SEED = 42
EPOCHS = 8
BATCH = 64
HELD_OUT = 300


def evaluate(model, inputs, grades):
    model.eval()
    with torch.no_grad():
        guess = model(inputs).argmax(dim=1)
    recall = {}
    for index, name in enumerate(scans.GRADES):
        rows = grades == index
        recall[name] = round((guess[rows] == index).float().mean().item(), 6)
    return (guess == grades).float().mean().item(), recall


def train_epoch(model, optimizer, inputs, grades, bank, generator):
    model.train()
    total = 0.0
    for rows in bank.draw(len(inputs), generator).split(BATCH):
        losses = F.cross_entropy(model(inputs[rows]), grades[rows], reduction="none")
        optimizer.zero_grad()
        losses.mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        unique = {row: place for place, row in enumerate(rows.tolist())}
        places = torch.tensor(list(unique.values()))
        bank.update(rows[places], losses.detach()[places])
        total += losses.sum().item()
    return total / len(inputs)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    run_dir = RUNS / f"{time.strftime('%m%d-%H%M%S')}-{uuid.uuid4().hex[:6]}"
    run_dir.mkdir(parents=True)
    log.info("results go to %s", run_dir)

    features, grades = scans.load(scans.ScanSpec())
    inputs, grades = torch.from_numpy(features), torch.from_numpy(grades)
    fit, held = slice(0, len(inputs) - HELD_OUT), slice(len(inputs) - HELD_OUT, None)

    model = WallNet(len(scans.GRADES))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    generator = torch.Generator().manual_seed(SEED + 1)
    bank = HardBank(RUNS / "hard_examples.json", len(inputs[fit]))

    for epoch in range(EPOCHS):
        started = time.monotonic()
        loss = train_epoch(model, optimizer, inputs[fit], grades[fit], bank, generator)
        bank.save()
        log.info("epoch %d: loss %.5f in %.2f s", epoch, loss, time.monotonic() - started)

    accuracy, recall = evaluate(model, inputs[held], grades[held])
    log.info("accuracy %.4f, recall %s", accuracy, recall)
    log.info("hardest scans: %s", bank.hardest(5))
    torch.save(model.state_dict(), run_dir / "model.pt")
    summary = {"finished": time.ctime(), "accuracy": accuracy, "recall": recall, "hardest": bank.hardest(20)}
    (run_dir / "summary.json").write_text(json.dumps(summary, indent=2))


if __name__ == "__main__":
    main()
