"""How long will a power cut last? Helps to send out crews."""
import argparse
import hashlib
import logging
import sys
import tempfile
import time
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from snapshots import SnapshotWriter

log = logging.getLogger("outages")


@dataclass
class Plan:
    seed: int = 29
    rows: int = 2400
    epochs: int = 5
    batch: int = 64
    width: int = 320
    every: int = 12


def outage_reports(plan):
    rng = np.random.default_rng(plan.seed)
    frame = pd.DataFrame({
        "feeder": rng.choice(["north", "harbour", "mill", "ridge"], plan.rows),
        "cause": rng.choice(["tree", "animal", "vehicle", "ageing", "ice"], plan.rows, p=[.4, .2, .1, .2, .1]),
        "customers": rng.lognormal(4, 1, plan.rows).round(),
        "wind": rng.gamma(2.0, 4.0, plan.rows),
        "hour": rng.integers(0, 24, plan.rows),
        "crews": rng.integers(1, 6, plan.rows),
    })
    hard = frame["cause"].map({"tree": .6, "animal": .1, "vehicle": .9, "ageing": .4, "ice": 1.2})
    night = ((frame["hour"] < 6) | (frame["hour"] > 21)) * 0.4
    frame["log_minutes"] = (3.2 + hard + night + 0.03 * frame["wind"] - 0.12 * frame["crews"]
                            + (frame["feeder"] == "ridge") * 0.5 + rng.normal(0, 0.2, plan.rows))
    return frame


def to_tensors(frame):
    numbers = frame[["customers", "wind", "crews"]].apply(lambda c: (c - c.mean()) / c.std())
    angle = 2 * np.pi * frame["hour"] / 24
    dummies = pd.get_dummies(frame[["feeder", "cause"]], dtype=float)
    table = pd.concat([numbers, np.sin(angle).rename("sin"), np.cos(angle).rename("cos"), dummies], axis=1)
    return torch.tensor(table.to_numpy(), dtype=torch.float32), torch.tensor(
        frame["log_minutes"].to_numpy(), dtype=torch.float32)


def build(inputs, width):
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Dropout(0.05),
                         nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
                         nn.Linear(width, 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=Plan.epochs)
    parser.add_argument("--seed", type=int, default=Plan.seed)
    args = parser.parse_args()
    plan = Plan(seed=args.seed, epochs=args.epochs)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    torch.manual_seed(plan.seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)

    inputs, minutes = to_tensors(outage_reports(plan))
    train, test = slice(0, 2000), slice(2000, None)
    loader = DataLoader(TensorDataset(inputs[train], minutes[train]), batch_size=plan.batch, shuffle=True,
                        generator=torch.Generator().manual_seed(plan.seed))
    model = build(inputs.shape[1], plan.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    with tempfile.TemporaryDirectory() as folder:
        writer = SnapshotWriter(folder)
        begun, step = time.perf_counter(), 0
        for epoch in range(plan.epochs):
            total = 0.0
            for features, target in loader:
                loss = nn.functional.smooth_l1_loss(model(features).squeeze(1), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
                total += loss.item() * len(target)
                if step % plan.every == 0:
                    writer.save(model, step)
            log.info("%.1f steps per second", step / (time.perf_counter() - begun))
            print(f"epoch {epoch} loss {total / 2000:.6f}")
        size = writer.finish()
        print(f"{len(writer.paths)} snapshots, {size >> 20} MiB")
        averaged = build(inputs.shape[1], plan.width)
        averaged.load_state_dict(writer.average())

    averaged.eval()
    with torch.no_grad():
        error = (averaged(inputs[test]).squeeze(1) - minutes[test]).abs().mean().item()
    digest = hashlib.sha1(b"".join(v.numpy().tobytes() for v in averaged.state_dict().values()))
    print(f"mean error {error:.7f}, averaged weights {digest.hexdigest()[:12]}")


if __name__ == "__main__":
    main()
