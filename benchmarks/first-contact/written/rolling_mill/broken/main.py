"""Learns the correction of the rolling force model from mill logs."""

import dataclasses
import json
import logging
import platform
import random
import tempfile
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import GroupShuffleSplit
from sklearn.preprocessing import StandardScaler

from mill import simulate
from trainer import TrainConfig, Trainer

OUT = Path(__file__).resolve().parent / "out"
NUMBERS = ["width", "entry", "exit", "temperature", "speed", "radius", "strain", "rate", "formula"]
log = logging.getLogger("mill")


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def through_the_exchange_format(frame):
    """What the level-2 system hands over is a CSV file with six decimals."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mill.csv"
        frame.to_csv(path, index=False, float_format="%.6f")
        return pd.read_csv(path, dtype={"strip": str})


def design(frame, scaler=None):
    grades = sorted(set(frame["grade"]))
    onehot = np.stack([(frame["grade"] == g).to_numpy() for g in grades], axis=1)
    stands = np.stack([(frame["stand"] == s).to_numpy() for s in range(1, 8)], axis=1)
    phase = frame["strip"].astype(int).to_numpy()[:, None] / 170
    numbers = np.log(frame[NUMBERS].to_numpy())
    if scaler is None:
        scaler = StandardScaler().fit(numbers)
    x = np.hstack([scaler.transform(numbers), onehot, stands, np.sin(phase), np.cos(phase)])
    y = np.log(frame["force"].to_numpy() / frame["formula"].to_numpy())
    return torch.from_numpy(x).float(), torch.from_numpy(y).float(), scaler


def main():
    OUT.mkdir(exist_ok=True)
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        handlers=[logging.FileHandler(OUT / "train.log"), logging.StreamHandler()],
    )
    config = TrainConfig()
    torch.set_num_threads(1)  # the machine also serves the mill dashboard
    seed_all(config.seed)
    log.info("%s on %s", datetime.now().strftime("%d %B %Y, %H:%M"), platform.node())
    log.info("%s", dataclasses.asdict(config))

    frame = through_the_exchange_format(simulate(5000, config.seed))
    frame = frame[frame["force"].between(0.5, 60)].reset_index(drop=True)
    parts = GroupShuffleSplit(n_splits=1, test_size=0.2, random_state=config.seed)
    train_rows, test_rows = next(parts.split(frame, groups=frame["strip"]))
    train, test = frame.iloc[train_rows], frame.iloc[test_rows]
    x, y, scaler = design(train)
    x_test, y_test, _ = design(test, scaler)
    counts = train["grade"].value_counts()
    weight = torch.tensor((len(train) / counts[train["grade"]]).to_numpy() ** 0.5, dtype=torch.float32)
    log.info("%d rows for training, %d held out, %d inputs", len(x), len(x_test), x.shape[1])

    trainer = Trainer(config, x.shape[1]).fit(x, y, weight, x_test, y_test)

    corrected = test["formula"].to_numpy() * np.exp(trainer.predict(x_test).double().numpy())
    table = pd.DataFrame({
        "grade": test["grade"].to_numpy(),
        "formula": np.abs(test["formula"] / test["force"] - 1).to_numpy() * 100,
        "corrected": np.abs(corrected / test["force"].to_numpy() - 1) * 100,
    })
    summary = table.groupby("grade").mean()
    print(summary.round(5).to_string())
    results = {"history": trainer.history, "per_grade": summary.to_dict(orient="index")}
    (OUT / "results.json").write_text(json.dumps(results, indent=1))
    torch.save({"model": trainer.model.state_dict(), "config": dataclasses.asdict(config)}, OUT / "model.pt")


if __name__ == "__main__":
    main()
