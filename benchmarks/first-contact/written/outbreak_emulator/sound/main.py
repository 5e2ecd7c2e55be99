"""Emulate a stochastic SEIR model: from five parameters to peak, day of peak and final size."""
import json
import logging
import random
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

from design import PARAMETERS, draw_design, run_design
from emulator import Emulator, fit
from outbreak import OUTPUTS

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s | %(message)s")
log = logging.getLogger("emulator")

CONFIG = {
    "seed": 90210,
    "design_points": 320,
    "replicates": 3,
    "workers": 2,
    "hidden": 64,
    "epochs": 60,
    "batch_size": 32,
    "lr": 3e-3,
    "test_size": 0.25,
}


def set_seeds(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def main():
    cfg = CONFIG
    set_seeds(cfg["seed"])
    started = datetime.now()
    folder = Path("out") / started.strftime("%Y-%m-%d_%H%M%S_%f")

    design = draw_design(cfg["design_points"], cfg["seed"])
    clock = time.perf_counter()
    responses = run_design(design, cfg["replicates"], cfg["workers"])
    log.info("%d outbreaks simulated in %.1fs", len(design) * cfg["replicates"], time.perf_counter() - clock)

    x_train, x_test, y_train, y_test = train_test_split(
        design, responses, test_size=cfg["test_size"], random_state=cfg["seed"]
    )
    x_scale, y_scale = StandardScaler().fit(x_train), StandardScaler().fit(y_train)

    def tensors(x, y):
        return torch.tensor(x_scale.transform(x)).float(), torch.tensor(y_scale.transform(y)).float()

    loader = DataLoader(TensorDataset(*tensors(x_train, y_train)), cfg["batch_size"], shuffle=True)
    model = Emulator(len(PARAMETERS), len(OUTPUTS), cfg["hidden"])
    loss = fit(model, loader, cfg["epochs"], cfg["lr"])

    with torch.no_grad():
        predicted = y_scale.inverse_transform(model.eval()(tensors(x_test, y_test)[0]).numpy())
    scores = {name: round(float(r2_score(y_test[:, i], predicted[:, i])), 5) for i, name in enumerate(OUTPUTS)}

    folder.mkdir(parents=True)
    torch.save({"model": model.state_dict(), "x_mean": torch.tensor(x_scale.mean_)}, folder / "emulator.pt")
    (folder / "scores.json").write_text(json.dumps({"train_loss": loss, "r2": scores}, indent=2))
    log.info("done after %s", datetime.now() - started)
    print("R2:", ", ".join(f"{name} {value:.4f}" for name, value in scores.items()))


if __name__ == "__main__":
    main()
