import argparse
import json
import random
import sqlite3
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from study import Study, windows


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def write_diaries(db, study, seed):
    rng = np.random.default_rng(seed)
    frames = []
    for patient in range(study.patients):
        n = study.days
        frame = pd.DataFrame({
            "patient": patient,
            "day": np.arange(n),
            "sleep_hours": rng.normal(7, 1.2, n).clip(2, 12),
            "stress": rng.integers(0, 11, n),
            "caffeine_mg": rng.gamma(2.0, 60.0, n),
            "pressure_hpa": 1013 + np.cumsum(rng.normal(0, 2.5, n)),
            "screen_hours": rng.gamma(3.0, 1.5, n),
            "cycle_phase": np.sin(2 * np.pi * (np.arange(n) + rng.integers(28)) / 28),
            "water_l": rng.normal(1.8, 0.5, n).clip(0.2, 4),
            "steps_k": rng.gamma(4.0, 1.8, n),
        })
        drop = -frame["pressure_hpa"].diff().fillna(0)
        risk = -1.2 + 0.25 * (7 - frame["sleep_hours"]) + 0.15 * (frame["stress"] - 5) + 0.2 * drop
        risk += 0.5 * frame["cycle_phase"]
        frame["attack"] = (rng.random(n) < 1 / (1 + np.exp(-risk.shift(1).fillna(0)))).astype(int)
        frames.append(frame)
    with sqlite3.connect(db) as con:
        pd.concat(frames).to_sql("diary", con, index=False)
    con.close()


def read_diaries(db):
    con = sqlite3.connect(db)
    table = pd.read_sql("SELECT * FROM diary ORDER BY patient, day", con)
    con.close()
    return table


class AttackNet(nn.Module):
    def __init__(self, channels, hidden=24):
        super().__init__()
        self.rnn = nn.GRU(channels, hidden, batch_first=True)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        states, _ = self.rnn(x)
        return self.out(self.drop(states[:, -1])).squeeze(1)


def brier(model, x, y):
    model.eval()
    with torch.no_grad():
        return float(((torch.sigmoid(model(x)) - y) ** 2).mean())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--batch", type=int, default=48)
    ap.add_argument("--seed", type=int, default=5)
    args = ap.parse_args()
    seed_all(args.seed)
    study = Study()

    with tempfile.TemporaryDirectory(prefix="diaries_") as tmp:
        db = Path(tmp) / "study.db"
        write_diaries(db, study, args.seed)
        table = read_diaries(db)
    x, y, who = windows(table, study)
    held = np.isin(who, np.arange(0, study.patients, 6))
    train = TensorDataset(torch.from_numpy(x[~held]), torch.from_numpy(y[~held]))
    vx, vy = torch.from_numpy(x[held]), torch.from_numpy(y[held])
    loader = DataLoader(train, batch_size=args.batch, shuffle=True, num_workers=2,
                        generator=torch.Generator().manual_seed(args.seed), persistent_workers=True)

    model = AttackNet(x.shape[2])
    opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
    weight = torch.tensor(float((y[~held] == 0).sum() / (y[~held] == 1).sum()))
    history = []
    for epoch in range(args.epochs):
        began = time.perf_counter()
        model.train()
        total = 0.0
        for bx, by in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(bx), by, pos_weight=weight)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(by)
        history.append({"epoch": epoch, "loss": total / len(train), "brier": brier(model, vx, vy)})
        print(f"epoch {epoch}: loss {history[-1]['loss']:.5f} ({time.perf_counter() - began:.2f} s)")
    print(json.dumps(history[-1]))
    print("checksum", f"{sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
