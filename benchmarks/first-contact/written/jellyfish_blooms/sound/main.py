"""Forecast jellyfish blooms at bathing beaches from buoy readings of the week before."""
import argparse
import json
import os
import tempfile
import time
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from store import SightingStore

CHANNELS = ("temperature", "salinity", "onshore_wind", "chlorophyll", "current")
STATIONS = ("Almadraba", "Bolnuevo", "Calblanque", "Dehesa", "Escombreras", "Farallon")


@dataclass
class Options:
    seed: int = 5
    days: int = 700
    epochs: int = 5
    batch: int = 64
    workers: int = 2
    lr: float = 3e-3


def simulate(options):
    rng = np.random.default_rng(options.seed)
    for index, station in enumerate(STATIONS):
        base = rng.normal(0, 0.3, len(CHANNELS))
        week = rng.normal(size=(options.days + 7, len(CHANNELS))) + base
        for day in range(options.days):
            window = week[day:day + 7]
            score = window[-3:, 0].mean() + 0.8 * window[-2:, 2].mean() + 0.3 * window[:, 3].mean()
            bloom = score + rng.normal(0, 0.2) > 1.1 - 0.05 * index
            yield station, day, window.ravel(), bloom


def epoch_loader(store, options, scale, generator):
    blooms = store.blooms()
    ids = blooms + store.quiet_days(len(blooms))
    features, labels = store.fetch(ids)
    mean, spread = scale
    data = TensorDataset(torch.from_numpy((features - mean) / spread), torch.from_numpy(labels))
    return DataLoader(data, batch_size=options.batch, shuffle=True, generator=generator,
                      num_workers=options.workers)


def evaluate(model, store, scale):
    features, labels = store.fetch(list(range(1, 4000, 3)))
    mean, spread = scale
    with torch.no_grad():
        scores = model(torch.from_numpy((features - mean) / spread)).squeeze(1)
    return nn.functional.binary_cross_entropy_with_logits(scores, torch.from_numpy(labels)).item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in asdict(Options()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    options = Options(**vars(parser.parse_args()))
    torch.manual_seed(options.seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(options.seed + 1)

    with tempfile.TemporaryDirectory() as folder:
        store = SightingStore(os.path.join(folder, "season.sqlite"), options.seed)
        store.add_many(simulate(options))
        print(f"{store.count(1)} blooms, {store.count(0)} quiet days")
        for row in store.station_means():
            print(f"  {row['station']:<12} {row['share']:.3f}")
        everything, _ = store.fetch(list(range(1, 4000)))
        scale = everything.mean(0), everything.std(0)

        width = 7 * len(CHANNELS)
        model = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, 1))
        optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
        history = []
        for epoch in range(options.epochs):
            begun, seen = time.perf_counter(), 0
            model.train()
            for features, labels in epoch_loader(store, options, scale, generator):
                loss = nn.functional.binary_cross_entropy_with_logits(model(features).squeeze(1), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                seen += len(labels)
            model.eval()
            history.append({"epoch": epoch, "nll": round(evaluate(model, store, scale), 7)})
            print(json.dumps(history[-1]), f"({seen / (time.perf_counter() - begun):.0f} rows/s)")
        store.close()
    checksum = sum(p.double().abs().sum() for p in model.parameters()).item()
    print(f"final nll {history[-1]['nll']:.7f} checksum {checksum:.10f}")


if __name__ == "__main__":
    main()
