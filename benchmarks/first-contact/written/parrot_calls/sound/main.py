"""Tell the calls of parrots apart, the rare ones too."""

import json
import logging
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

import aviary
import loading
import network

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(message)s")
log = logging.getLogger("parrots")


@dataclass(frozen=True)
class Seeds:
    data: int = 10
    split: int = 11
    sampler: int = 12
    mask: int = 13
    model: int = 14


def evaluate(model, loader, calls):
    hits, totals = torch.zeros(calls), torch.zeros(calls)
    model.eval()
    with torch.no_grad():
        for patches, labels in loader:
            right = model(patches).argmax(dim=1) == labels
            hits.index_add_(0, labels, right.float())
            totals.index_add_(0, labels, torch.ones(len(labels)))
    return (hits / totals.clamp(min=1)).tolist()


def main(epochs=8, seeds=Seeds()):
    torch.set_num_threads(1)
    tag = "".join(random.choices("bcdfghjklmnp", k=6))
    log.info("run %s on %d cores", tag, os.cpu_count())

    calls = aviary.CallSet(1500, seeds.data)
    fit, held = loading.split(calls, 300, seeds.split)
    train_loader = loading.balanced_loader(fit, 48, seeds.sampler)
    test_loader = DataLoader(held, batch_size=150)
    mask = loading.SpecMask(seeds.mask)

    model = network.build(aviary.BANDS, len(aviary.CALLS), seeds.model)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1.5e-3)
    for epoch in range(epochs):
        model.train()
        started, total = time.perf_counter(), 0.0
        drawn = torch.zeros(len(aviary.CALLS), dtype=torch.long)
        for patches, labels in train_loader:
            loss = F.cross_entropy(model(mask(patches)), labels)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item() * len(labels)
            drawn += torch.bincount(labels, minlength=len(drawn))
        log.info("epoch %d loss %.5f drawn %s %.2f s", epoch, total / len(fit), drawn.tolist(), time.perf_counter() - started)

    recall = dict(zip(aviary.CALLS, evaluate(model, test_loader, len(aviary.CALLS))))
    mean = sum(recall.values()) / len(recall)
    log.info("mean recall %.4f %s", mean, {call: round(value, 3) for call, value in recall.items()})

    out = Path("out")
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "model.pt")
    (out / "results.json").write_text(json.dumps({"tag": tag, "mean_recall": mean, "recall": recall}, indent=2))


if __name__ == "__main__":
    main()
