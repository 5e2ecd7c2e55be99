"""Evaluation bench: classifiers of noisy glyphs, scored on shifted test sets with intervals."""
import csv
import json
import time
from pathlib import Path

import torch

from bench import Bench
from glyphs import SHIFTS, draw
from metrics import Accuracy, Brier, CalibrationError, TopK
from models import convnet, linear, train

OUT = Path("bench_out")


def main():
    torch.manual_seed(2)
    torch.set_num_threads(1)
    x, y = draw(600, seed=1)
    models = {}
    for make, epochs in ((linear, 6), (convnet, 5)):
        began = time.perf_counter()
        net, loss = train(make(), x, y, epochs)
        models[make.__name__] = net
        print(f"trained {make.__name__}: loss {loss:.6f}")
        print(f"   took {time.perf_counter() - began:.2f} s")

    bench = Bench(resamples=120)
    for name, shift in SHIFTS.items():
        bench.add_task(name, *draw(250, seed=100 + len(name), **shift))
    for metric in (Accuracy(), TopK(2), Brier(), CalibrationError(bins=8)):
        bench.add_metric(metric)

    rows = []
    for model_name, net in models.items():
        for row in bench.score(net):
            rows.append({"model": model_name, **row})
    for r in rows:
        print(f"{r['model']:<8} {r['task']:<8} {r['metric']:<8} {r['value']:.4f} "
              f"[{r['low']:.4f}, {r['high']:.4f}]")
    print(f"{len(rows)} scores, forward passes reused: {bench.reused}")

    OUT.mkdir(exist_ok=True)
    with open(OUT / "scores.csv", "w", newline="") as f:
        table = csv.DictWriter(f, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
    (OUT / "scores.json").write_text(json.dumps(rows, indent=1))
    torch.save({k: net.state_dict() for k, net in models.items()}, OUT / "models.pt")


if __name__ == "__main__":
    main()
