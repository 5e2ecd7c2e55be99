"""Renal plasma flow, transit time and filtration from contrast curves."""
import json
import sqlite3
import time
from datetime import datetime, timezone
from pathlib import Path

import torch

from estimator import FlowNet, fit
from scanner import scan_cohort
from tracer import cohort

HERE = Path(__file__).resolve().parent
SEED = 83


def store(path, names, truth, guess):
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE estimates (name TEXT PRIMARY KEY, flow REAL, transit REAL, filtration REAL, error REAL)")
    error = (guess - truth).abs().mean(1)
    for name, row, miss in zip(names, guess.tolist(), error.tolist()):
        base.execute("INSERT INTO estimates VALUES (?, ?, ?, ?, ?)", (name, *row, miss))
    base.commit()
    base.close()


def main():
    started = datetime.now(timezone.utc)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    cases = cohort(150, SEED)
    clock = time.perf_counter()
    names, curves = scan_cohort(cases, SEED)
    print(f"{len(names)} kidneys scanned in {time.perf_counter() - clock:.2f} s")

    x = torch.from_numpy(curves)
    x = x / x[:, :1].amax()
    truth = torch.tensor([[case.plasma_flow, case.transit, case.filtration] for case in cases])
    centre, spread = truth.mean(0), truth.std(0)
    y = (truth - centre) / spread
    model = FlowNet()
    history = fit(model, x[:120], y[:120], epochs=14)
    with torch.no_grad():
        guess = model(x)
    held = (guess[120:] - y[120:]).abs().mean(0)
    store(HERE / "estimates.sqlite", names, y, guess)
    (HERE / "fit.json").write_text(json.dumps({"started": started.isoformat(), "loss": history,
                                               "held_out": held.tolist()}, indent=1))
    torch.save(model.state_dict(), HERE / "flownet.pt")
    print("held-out error (flow, transit, filtration):", " ".join(f"{v:.4f}" for v in held.tolist()))


if __name__ == "__main__":
    main()
