"""A neural surrogate for Asian option prices, trained on Monte Carlo values."""
import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

from farm import price_cells
from grid import make_cells
from surrogate import Surrogate, train

HERE = Path(__file__).resolve().parent


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--cells", type=int, default=48)
    ap.add_argument("--workers", type=int, default=3)
    ap.add_argument("--epochs", type=int, default=25)
    ap.add_argument("--seed", type=int, default=99)
    a = ap.parse_args(argv)

    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    t0 = time.perf_counter()
    x, y, norm = price_cells(make_cells(a.cells, a.seed), a.workers)
    print(f"priced {len(y)} contracts on {a.workers} threads, "
          f"{time.perf_counter() - t0:.2f} s", file=sys.stderr)
    print(f"contracts {len(y)}, mean price {y.mean():.4f}, highest {y.max():.4f}")

    x = torch.from_numpy(norm.apply(x))
    y = torch.from_numpy(y)
    hold = torch.arange(len(y)) % 5 == 0
    net = Surrogate(x.shape[1]).double()
    history = train(net, x[~hold], y[~hold], a.epochs)
    with torch.no_grad():
        err = (net(x[hold]) - y[hold]).abs()
    print(f"loss {history[0]:.6f} -> {history[-1]:.6f}")
    print(f"held out: mean error {err.mean():.5f}, 95% {err.quantile(0.95):.5f}")

    torch.save(net.state_dict(), HERE / "surrogate.pt")
    np.save(HERE / "norm.npy", np.stack([norm.mean, norm.std()]))
    (HERE / "report.json").write_text(json.dumps(
        {"history": history, "mean_error": err.mean().item(), "max_error": err.max().item()}))


if __name__ == "__main__":
    main()
