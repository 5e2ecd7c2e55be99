#!/usr/bin/env python
import json
import sys
import time
from pathlib import Path

import torch

import rngs
from ensemble import Member
from stands import FEATURES, survey

MEMBERS = 5
COLOURS = ["amber", "birch", "cedar", "dusk", "ember", "fern", "grouse", "heron"]


def main():
    torch.set_num_threads(1)
    t0 = time.monotonic()
    namer = rngs.make_rng("run name")
    run = f"{namer.choice(COLOURS)}-{namer.integers(1000, 10000)}"
    folder = Path(__file__).parent / "runs" / run
    folder.mkdir(parents=True, exist_ok=True)

    x, y = survey(rngs.make_rng("survey", seed=77), 2400)
    x_train, y_train, x_test, y_test = x[:1900], y[:1900], x[1900:], y[1900:]

    members = []
    for number in range(MEMBERS):
        member = Member(number, len(FEATURES))
        loss, distinct = member.fit(x_train, y_train)
        members.append(member)
        print(f"member {number}: {distinct} distinct stands, last loss {loss:.5f}, {time.monotonic() - t0:.1f} s", flush=True)

    with torch.no_grad():
        predictions = torch.stack([member(x_test) for member in members])
    mean, spread = predictions.mean(0), predictions.std(0)
    results = {
        "rmse": (mean - y_test).square().mean().sqrt().item(),
        "member_rmse": (predictions - y_test).square().mean(1).sqrt().tolist(),
        "mean_spread": spread.mean().item(),
        "severe_stands": int((mean > 0.6).sum()),
    }
    torch.save([m.net.state_dict() for m in members], folder / "ensemble.pt")
    (folder / "results.json").write_text(json.dumps(results, indent=2))
    (folder / "about.json").write_text(json.dumps(
        {"run": run, "seconds": time.monotonic() - t0, "python": sys.version, "generators": rngs.ISSUED}, indent=2))
    print(f"{run}: rmse {results['rmse']:.4f}, spread {results['mean_spread']:.4f}, {time.monotonic() - t0:.1f} s")


if __name__ == "__main__":
    main()
