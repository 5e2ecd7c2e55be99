"""Which booked appointments will be missed? A small network on tables of a clinic."""
import json
import logging
import sys
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import torch

from features import assemble, model_columns, scale
from learner import NoShowNet, evaluate, train
from tables import make_appointments, make_patients

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname).1s %(message)s")
log = logging.getLogger("noshow")


@dataclass(frozen=True)
class Config:
    seed: int = 321
    patients: int = 900
    appointments: int = 7000
    negatives_per_positive: int = 2
    hidden: int = 48
    dropout: float = 0.2
    batch_size: int = 64
    epochs: int = 14
    lr: float = 2e-3
    test_from: str = "2025-10-01"


def main():
    cfg = Config()
    begun = datetime.now()
    run_id = f"{begun:%Y%m%d}-{uuid4().hex[:8]}"
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    log.info("run %s %s", run_id, asdict(cfg))

    patients = make_patients(cfg.patients, cfg.seed)
    booked = make_appointments(patients, cfg.appointments, cfg.seed + 1)
    frame = assemble(booked, patients)
    columns = model_columns(frame)
    log.info("%d appointments, %d columns, %.1f%% missed", len(frame), len(columns), 100 * frame["missed"].mean())

    past, future = frame[frame["when"] < cfg.test_from], frame[frame["when"] >= cfg.test_from]
    missed = past[past["missed"] == 1]
    kept = past[past["missed"] == 0].sample(n=cfg.negatives_per_positive * len(missed), random_state=cfg.seed)
    past = past.loc[sorted([*missed.index, *kept.index])]

    x, mean, std = scale(past[columns])
    x_test, *_ = scale(future[columns], mean, std)
    y = torch.tensor(past["missed"].to_numpy(), dtype=torch.float32)
    model = NoShowNet(len(columns), cfg.hidden, cfg.dropout)
    clock = time.perf_counter()
    train(model, x, y, cfg.epochs, cfg.batch_size, cfg.lr)
    log.info("trained in %.1fs", time.perf_counter() - clock)

    scores = evaluate(model, x_test, future["missed"].to_numpy())
    out = Path("artifacts") / run_id
    out.mkdir(parents=True)
    torch.save({"weights": model.state_dict(), "columns": columns, "mean": mean, "std": std}, out / "noshow.pt")
    (out / "scores.json").write_text(json.dumps(scores, indent=2))
    print(" ".join(f"{name}={value:.5f}" for name, value in scores.items()))
    log.info("finished after %s", datetime.now() - begun)


if __name__ == "__main__":
    main()
