import json
import time

import torch

from tariff.data import load_hours
from tariff.ensemble import Ensemble, pinball
from tariff.run import Run

CONFIG = dict(name="tariff", days=260, members=3, steps=140, batch=128, hidden=48,
              lr=4e-3, quantiles=[0.1, 0.5, 0.9], seed=31)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(CONFIG["seed"])
    run = Run(CONFIG)
    x, y = load_hours(CONFIG["days"], CONFIG["seed"])
    cut = int(0.75 * len(y))
    print(f"run folder {run.folder}")
    print(f"{cut} hours to train on, {len(y) - cut} to test on")

    model = Ensemble(x.shape[1], CONFIG, run.streams)
    for k, losses in enumerate(model.fit(x[:cut], y[:cut])):
        print(f"member {k}: loss {losses[0]:.4f} -> {losses[-1]:.4f}")
        run.note(f"member {k} ready after {run.elapsed():.2f} s")

    pred, spread = model.predict(x[cut:])
    loss = pinball(pred, y[cut:], torch.tensor(CONFIG["quantiles"])).item()
    inside = ((y[cut:] >= pred[:, 0]) & (y[cut:] <= pred[:, -1])).float().mean().item()
    print(f"pinball {loss:.5f}  coverage {inside:.4f}  spread {spread:.5f}")

    torch.save(model.state(), run.path("ensemble.pt"))
    torch.save(pred, run.path("quantiles.pt"))
    with open(run.path("metrics.json"), "w") as f:
        json.dump({"pinball": loss, "coverage": inside, "spread": spread}, f)
    run.note(f"closed {time.ctime()}")


if __name__ == "__main__":
    main()
