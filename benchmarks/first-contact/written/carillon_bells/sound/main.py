"""How far is the tierce of a bell out of tune?"""
import json
import logging
import sys
import time
from pathlib import Path

import numpy as np
import torch

from recorder import Recorder
from strike import cast
from tuner import Tuner, cents_error, fit

SEED = 1646
BELLS = 60
STRIKES = 20


def main():
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(asctime)s %(name)s %(message)s")
    torch.manual_seed(SEED)
    np.random.seed(SEED)
    start = time.time()
    bells = cast(BELLS, np.random.default_rng(SEED))
    x, y = Recorder(SEED).record(bells, STRIKES)
    print(f"recorded {len(x)} strikes in {time.time() - start:.1f} s")

    strike = np.arange(len(x)) % STRIKES
    train, test = strike < STRIKES - 4, strike >= STRIKES - 4
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    model = Tuner(x.shape[1])
    curve = []
    for epoch, loss in fit(model, x[train], y[train], epochs=10):
        error = cents_error(model, x[test], y[test])
        curve.append({"epoch": epoch, "loss": loss, "cents": error})
        print(f"epoch {epoch:2d}  loss {loss:.5f}  error {error:.3f} cents")

    folder = Path("towers") / time.strftime("%Y%m%d-%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), folder / "tuner.pt")
    (folder / "curve.json").write_text(json.dumps({"curve": curve, "wall": time.time() - start}, indent=2))
    print(f"done: {curve[-1]['cents']:.4f} cents")


if __name__ == "__main__":
    main()
