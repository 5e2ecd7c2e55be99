"""Repeated cross-validation of a glaze-hardness regressor; the folds' networks
are blended by their validation error and polished on everything."""
import csv
import json
import logging
import time
from dataclasses import asdict, dataclass

import numpy as np
import torch

from kiln.blend import blend, polish
from kiln.data import firing_curves, folds
from kiln.farm import Farm
from kiln.net import fresh, predict

logging.basicConfig(format="[%(relativeCreated)6d ms] %(message)s", level=logging.INFO)
log = logging.getLogger("kiln")


@dataclass
class Settings:
    rows: int = 300
    points: int = 20
    hidden: int = 32
    n_folds: int = 6
    repeats: int = 4
    workers: int = 3
    epochs: int = 5
    polish_epochs: int = 6
    seed: int = 5150


def main():
    cfg = Settings()
    torch.set_num_threads(1)
    x, y = firing_curves(cfg.rows, cfg.points, cfg.seed)
    start = fresh(cfg.points, cfg.hidden, cfg.seed)

    jobs = []
    for repeat in range(cfg.repeats):
        for k, (fit, check) in enumerate(folds(cfg.rows, cfg.n_folds, cfg.seed + repeat)):
            jobs.append({
                "job": len(jobs), "fold": k, "repeat": repeat, "fit": fit, "check": check,
                "rate": (0.05, 0.03, 0.02)[k % 3],
                "epochs": cfg.epochs + (k * 5 + repeat * 3) % 7,
                "seed": cfg.seed * 100 + len(jobs),
            })

    began = time.perf_counter()
    with Farm(cfg.workers, x, y, start) as farm:
        inbox = farm.run(jobs)
    log.info("%d fits by %d processes in %.2f s", len(inbox), cfg.workers, time.perf_counter() - began)

    weights = blend(inbox)
    history = polish(weights, x, y, cfg.polish_epochs, rate=0.01, seed=cfg.seed)
    errors = [inbox[job]["error"] for job in range(len(jobs))]
    with open("folds.csv", "w", newline="") as handle:
        table = csv.writer(handle)
        table.writerow(["job", "repeat", "fold", "rate", "error"])
        for job in jobs:
            table.writerow([job["job"], job["repeat"], job["fold"], job["rate"], repr(errors[job["job"]])])
    with torch.no_grad():
        residual = predict({k: torch.from_numpy(v) for k, v in weights.items()}, torch.from_numpy(x))
    metrics = {
        "settings": asdict(cfg),
        "cv_rmse": float(np.mean(errors)),
        "cv_worst": float(np.max(errors)),
        "final_mae": float((residual - torch.from_numpy(y)).abs().mean()),
        "polish": history,
    }
    torch.save({k: torch.from_numpy(v) for k, v in weights.items()}, "blend.pt")
    with open("metrics.json", "w") as handle:
        json.dump(metrics, handle, indent=2)
    log.info("cv rmse %.4f, final mae %.5f", metrics["cv_rmse"], metrics["final_mae"])


if __name__ == "__main__":
    main()
