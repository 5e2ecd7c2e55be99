import json
import logging
import random
import sys
from pathlib import Path
from time import perf_counter, strftime

import torch

from config import SWEEP
from regressor import fit
from spectra import BANDS, dried_peppers

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
torch.set_num_threads(1)

out = Path(__file__).parent / "models"
out.mkdir(exist_ok=True)
x, y = map(torch.from_numpy, dried_peppers())
centre = y[:1000].mean()
x_test, y_test = x[1000:], y[1000:] - centre
run = "".join(random.choices("bcdfghjklmnpqrstvwxz", k=6))
logging.info("run %s: %d samples of %d bands, heat %.2f on average", run, len(y), BANDS, centre)

scores, seconds = {}, {}
for setting in SWEEP:
    began = perf_counter()
    model = fit(setting, x[:1000], y[:1000] - centre).eval()
    with torch.no_grad():
        scores[setting.label] = (model(x_test) - y_test).square().mean().sqrt().item()
    seconds[setting.label] = round(perf_counter() - began, 3)
    torch.save(model.state_dict(), out / f"{setting.label}.pt")
    logging.info("%-10s rmse %.4f in %.2f s", setting.label, scores[setting.label], seconds[setting.label])

best = min(scores, key=scores.get)
(out / "scores.json").write_text(json.dumps({"rmse": scores, "best": best}, sort_keys=True, indent=1))
(out / "timing.json").write_text(json.dumps({"run": run, "when": strftime("%Y-%m-%d %H:%M"), "seconds": seconds}, indent=1))
logging.info("best: %s", best)
