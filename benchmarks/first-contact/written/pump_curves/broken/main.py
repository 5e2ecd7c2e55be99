"""Compare a few network shapes as surrogates of pump curves, and keep the best one."""

import json
import logging
import time
import uuid
from pathlib import Path

import torch

import bench
import surrogate
import trials

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(name)s] %(message)s")
log = logging.getLogger("pumps")

OUT = Path("out")
DATA_SEED = 77


def flush(board):
    """Results so far, best first."""
    OUT.mkdir(exist_ok=True)
    ranked = sorted(board, key=lambda row: (row["rmse"], row["trial"]))
    (OUT / "results.json").write_text(json.dumps(ranked, indent=2))
    return ranked


def main():
    torch.set_num_threads(1)
    run_id = uuid.uuid4()
    began = time.time()
    log.info("run %s", run_id)

    train, test = bench.measure(3200, DATA_SEED).split(0.8, DATA_SEED)
    log.info("%d points to fit, %d to test", len(train.inputs), len(test.inputs))

    board, models, seen = [], {}, set()
    for trial in trials.grid():
        name = trials.title(trial)
        if name in seen:
            log.warning("%s is listed twice, skipped", name)
            continue
        seen.add(name)
        model, seconds = surrogate.fit(trial, train, trials.seed_of(trial))
        rmse = surrogate.error(model, test)
        log.info("%-14s test rmse %.6f (%.2f s)", name, rmse, seconds)
        board.append({"trial": name, "parameters": sum(p.numel() for p in model.parameters()), "rmse": rmse})
        models[name] = model
        flush(board)

    ranked = flush(board)
    best = ranked[0]["trial"]
    torch.save({name: model.state_dict() for name, model in models.items()}, OUT / "model.pt")
    (OUT / "best.txt").write_text(best + "\n")
    log.info("best: %s, all in %.1f s", best, time.time() - began)


if __name__ == "__main__":
    main()
