"""Which scribe wrote this folio? Stroke statistics of medieval hands."""
import logging
import shutil
import sqlite3
import sys
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

from shards import ShardWriter, read_shards

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(relativeCreated)6d ms  %(message)s")
log = logging.getLogger("folios")

SEED = 1215
SCRIBES = 5
FOLIOS = 480


def strokes(rng, hand):
    slant = rng.normal(hand["slant"], 0.2, 300)
    width = rng.gamma(hand["nib"], 0.4, 300)
    joint, _, _ = np.histogram2d(slant, width, bins=(8, 6), range=((-1.5, 1.5), (0, 5)))
    return np.log1p(joint).ravel().astype(np.float32)


def scan(folder, catalogue):
    rng = np.random.default_rng(SEED)
    hands = [{"slant": rng.uniform(-0.5, 0.5), "nib": rng.uniform(3, 6)} for _ in range(SCRIBES)]
    with ShardWriter(folder) as writer:
        for folio in range(FOLIOS):
            scribe = int(rng.integers(SCRIBES))
            writer.add(strokes(rng, hands[scribe]), scribe)
            catalogue.execute("insert into folio values (?, ?)", (folio, scribe))
    catalogue.commit()


class Folios(IterableDataset):
    """Streams the shards, with a shuffle buffer."""

    def __init__(self, folder, buffer, seed):
        self.folder, self.buffer, self.seed = folder, buffer, seed
        self.epoch = 0

    def __iter__(self):
        rng = np.random.default_rng((self.seed, self.epoch))
        held = []
        for features, scribes in read_shards(self.folder):
            for row in zip(features, scribes):
                if len(held) < self.buffer:
                    held.append(row)
                    continue
                k = int(rng.integers(self.buffer))
                out, held[k] = held[k], row
                yield torch.from_numpy(out[0]), int(out[1])
        rng.shuffle(held)
        for features, scribe in held:
            yield torch.from_numpy(features), int(scribe)


def main():
    torch.manual_seed(SEED)
    folder = tempfile.mkdtemp(prefix="vellum-")
    catalogue = sqlite3.connect(":memory:")
    catalogue.execute("create table folio (number integer primary key, scribe integer)")
    try:
        scan(folder, catalogue)
        shares = catalogue.execute("select scribe, count(*) from folio group by scribe order by scribe").fetchall()
        log.info("scanned: %s", shares)
        counts = torch.tensor([n for _, n in shares], dtype=torch.float32)
        criterion = nn.CrossEntropyLoss(weight=counts.sum() / (SCRIBES * counts))

        data = Folios(folder, buffer=64, seed=SEED)
        model = nn.Sequential(nn.Linear(48, 40), nn.GELU(), nn.Dropout(0.1), nn.Linear(40, SCRIBES))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        for epoch in range(5):
            data.epoch = epoch
            begun = time.monotonic()
            losses = []
            for features, scribe in DataLoader(data, batch_size=16):
                loss = criterion(model(features), scribe)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            log.info("epoch %d took %.2f s", epoch, time.monotonic() - begun)
            print(f"epoch {epoch} mean loss {np.mean(losses):.8f}")
    finally:
        shutil.rmtree(folder)
        catalogue.close()
    flat = torch.cat([p.detach().flatten() for p in model.parameters()]).double()
    print(f"final: mean {flat.mean().item():.12f} norm {flat.norm().item():.12f}")


if __name__ == "__main__":
    main()
