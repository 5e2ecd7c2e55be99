#!/usr/bin/env python
"""Tensile tests of viscose filament: predict the breaking load from the first part of the curve.

stage 1   every spool is reduced on its own (resampled curves, in a scratch folder), several at once
stage 2   the reduced spools are merged
stage 3   a GRU reads the first half of each curve and predicts the load at break
"""
import json
import shutil
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

CONFIG = dict(spools=40, tests_per_spool=24, points=48, seen=24, hidden=32, epochs=8, batch=40, lr=4e-3, seed=1904)


def measure(spool):
    """The readings of the testing machine: elongation in %, load in cN, ragged as they come."""
    rng = np.random.default_rng(CONFIG["seed"] * 1000 + spool)
    draw_ratio = rng.normal(1.0, 0.08)
    for _ in range(CONFIG["tests_per_spool"]):
        strain = np.sort(rng.uniform(0, 1, rng.integers(90, 140)))
        at_break = 18 / draw_ratio + rng.normal(0, 1.0)
        stiff, yield_load = 9 * draw_ratio + rng.normal(0, 0.5), 14 + rng.normal(0, 0.7)
        elongation = strain * at_break
        load = yield_load * (1 - np.exp(-stiff * elongation / yield_load / 3)) + 0.55 * draw_ratio * elongation
        yield elongation, load + rng.normal(0, 0.15, load.shape)


def reduce_spool(spool, scratch):
    curves, loads = [], []
    for elongation, load in measure(spool):
        grid = np.linspace(0, elongation[-1], CONFIG["points"])
        curve = np.interp(grid, elongation, load)
        curves.append(np.stack([grid, curve], axis=1))
        loads.append(load[-5:].mean())
    folder = scratch / f"spool-{spool:03d}"
    folder.mkdir()
    np.save(folder / "curves.npy", np.asarray(curves, dtype=np.float32))
    np.save(folder / "loads.npy", np.asarray(loads, dtype=np.float32))
    (folder / "done.json").write_text(json.dumps({"spool": spool, "tests": len(loads)}))


def is_held_out(folder):
    """A fifth of the spools; a spool stays on its side when others are added or taken away."""
    return zlib.crc32(str(folder).encode()) % 5 == 0


def merge(scratch):
    """The reduced spools to train on and those to test on; folders without done.json were interrupted."""
    train, test = [], []
    for done in sorted(scratch.glob("spool-*/done.json")):
        curves, loads = np.load(done.parent / "curves.npy"), np.load(done.parent / "loads.npy")
        assert len(curves) == json.loads(done.read_text())["tests"]
        side = test if is_held_out(done.parent) else train
        side.append((torch.from_numpy(curves), torch.from_numpy(loads)))
    return train, test


class ShuffleBuffer(IterableDataset):
    """Streams the tests of all spools through a buffer that mixes neighbours."""

    def __init__(self, spools, capacity=160):
        self.spools, self.capacity = spools, capacity
        self.generator = torch.Generator().manual_seed(CONFIG["seed"])

    def __iter__(self):
        buffer = []
        for curves, loads in self.spools:
            for item in zip(curves[:, : CONFIG["seen"]], loads):
                if len(buffer) < self.capacity:
                    buffer.append(item)
                    continue
                slot = int(torch.randint(self.capacity, (), generator=self.generator))
                yield buffer[slot]
                buffer[slot] = item
        for slot in torch.randperm(len(buffer), generator=self.generator).tolist():
            yield buffer[slot]


class BreakLoad(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.rnn = nn.GRU(2, CONFIG["hidden"], batch_first=True)
        self.head = nn.Linear(CONFIG["hidden"], 1)

    def forward(self, curve):
        _, state = self.rnn((curve - self.mean) / self.std)
        return 24.0 + 2.5 * self.head(state[-1]).squeeze(-1)


def train(spools):
    seen = torch.cat([curves[:, : CONFIG["seen"]].flatten(0, 1) for curves, _ in spools])
    model = BreakLoad(seen.mean(0), seen.std(0))
    loader = DataLoader(ShuffleBuffer(spools), batch_size=CONFIG["batch"])
    optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
    for epoch in range(CONFIG["epochs"]):
        losses = []
        for curve, load in loader:
            loss = nn.functional.smooth_l1_loss(model(curve), load)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {np.mean(losses):.6f}")
    return model


def main():
    torch.manual_seed(CONFIG["seed"])
    scratch = Path(tempfile.mkdtemp(prefix="viscose-"))
    try:
        with ThreadPoolExecutor(max_workers=4) as pool:
            list(pool.map(lambda spool: reduce_spool(spool, scratch), range(CONFIG["spools"])))
        train_spools, test_spools = merge(scratch)
    finally:
        shutil.rmtree(scratch)

    model = train(train_spools)

    with torch.inference_mode():
        errors = torch.stack([(model(c[:, : CONFIG["seen"]]) - y).abs().mean() for c, y in test_spools])
    print(f"{len(test_spools)} spools held out: mean absolute error {errors.mean():.5f} cN, worst spool {errors.max():.5f} cN")
    torch.save({"config": CONFIG, "model": model.state_dict()}, "breakload.pt")
    Path("errors.json").write_text(json.dumps([round(e, 6) for e in errors.tolist()]))


if __name__ == "__main__":
    main()
