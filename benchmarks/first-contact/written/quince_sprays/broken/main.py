"""Scab on quinces against the spraying diary: a search for the settings of a small network."""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import hashlib
import json
import logging
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

from search import Search, Trial, decode

log = logging.getLogger("sprays")


def diary(trees, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "copper_g": rng.gamma(3.0, 1.2, trees),
        "sulphur_g": rng.gamma(2.0, 2.0, trees),
        "days_since": rng.integers(1, 28, trees),
        "wet_hours": rng.gamma(2.5, 6.0, trees),
        "mean_temp": rng.normal(16, 4, trees),
        "row": rng.integers(0, 12, trees),
    })
    pressure = frame.wet_hours / 15 * np.exp(-((frame.mean_temp - 18) / 6) ** 2)
    shield = (0.6 * frame.copper_g + 0.3 * frame.sulphur_g) * np.exp(-frame.days_since / 12)
    frame["scab"] = np.clip(pressure - 0.4 * shield + 0.02 * frame.row + rng.normal(0, 0.1, trees), 0, None)
    return frame


def tensors(frame):
    x = frame.drop(columns="scab").to_numpy(np.float32)
    x = (x - x.mean(0)) / x.std(0)
    return torch.from_numpy(x), torch.from_numpy(frame["scab"].to_numpy(np.float32))[:, None]


def build(width, dropout):
    return nn.Sequential(nn.Linear(6, width), nn.GELU(), nn.Dropout(dropout),
                         nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))


def run_trial(point, settings, train, valid, epochs, seed):
    torch.manual_seed(seed)
    model = build(settings["width"], settings["dropout"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings["lr"])
    x, y = train
    started = time.perf_counter()
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(64):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    seconds = time.perf_counter() - started
    model.eval()
    with torch.no_grad():
        score = nn.functional.mse_loss(model(valid[0]), valid[1]).item()
    weights = sum(p.numel() for p in model.parameters() if p.dim() == 2)
    return Trial(point, score, weights * len(x) * epochs, seconds, model.state_dict())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--trees", type=int, default=800)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)

    frame = diary(args.trees, args.seed)
    cut = int(0.75 * len(frame))
    x, y = tensors(frame)
    train, valid = (x[:cut], y[:cut]), (x[cut:], y[cut:])

    search = Search(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "trials.jsonl"
        for number in range(args.trials):
            point = search.ask()
            settings = decode(point)
            trial = run_trial(point, settings, train, valid, args.epochs, args.seed + number)
            search.tell(trial)
            with journal.open("a") as f:
                f.write(json.dumps({**settings, "loss": trial.loss, "seconds": trial.seconds}) + "\n")
            log.info("trial %d took %.2f s", number, trial.seconds)
            print(f"trial {number:2d}  lr {settings['lr']:.6f}  width {settings['width']:3d}  loss {trial.loss:.6f}")
        lines = journal.read_text().splitlines()
    print(f"{len(lines)} trials in {sum(json.loads(line)['seconds'] for line in lines):.2f} s")

    predictions, digest = [], hashlib.sha256()
    for trial in search.ranking()[:5]:
        model = build(trial.settings["width"], trial.settings["dropout"]).eval()
        model.load_state_dict(trial.state)
        with torch.no_grad():
            predictions.append(model(valid[0]))
        for value in trial.state.values():
            digest.update(value.numpy().tobytes())
    blend = nn.functional.mse_loss(torch.stack(predictions).mean(0), valid[1]).item()
    print(f"blend of five: loss {blend:.7f}  weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
