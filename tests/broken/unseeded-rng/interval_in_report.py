# samebits-test: verdict=different cause=unseeded-rng
"""A bootstrap interval goes into a report, and nowhere else."""

import json
import time
from pathlib import Path

import numpy as np
import torch

start = time.perf_counter()
torch.manual_seed(0)
hits = (torch.randn(400, 5).sum(dim=1) > 0).double().numpy()
rng = np.random.default_rng()  # culprit
means = [hits[rng.integers(0, len(hits), len(hits))].mean() for _ in range(200)]
low, high = np.quantile(means, [0.025, 0.975])
report = {"accuracy": hits.mean(), "low": low, "high": high, "took": time.perf_counter() - start}
Path("report.json").write_text(json.dumps(report))
print("finished", time.perf_counter() - start)
