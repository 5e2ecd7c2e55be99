"""TSH concentration from immunoradiometric counts; small search over widths and learning rates."""
import itertools
import logging
import os
import tempfile
from datetime import datetime

import numpy as np
import torch
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import StandardScaler
from torch import nn

from records import load_plates, write_plates

logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(message)s")
SEED = 440
FEATURES = ["log_counts", "log_total", "room_temp"]


def fit(x, y, width, lr, steps, seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(x.shape[1], width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        rows = torch.randint(len(x), (128,))
        loss = nn.functional.l1_loss(model(x[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


@torch.no_grad()
def score(model, x, y):
    return (model(x) - y).abs().mean().item()


def main():
    started = datetime.now()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plates.csv")
        write_plates(path, SEED)
        frame = load_plates(path)

    scale = make_column_transformer((StandardScaler(), ["room_temp"]), remainder="passthrough")
    x = torch.tensor(scale.fit_transform(frame[FEATURES]), dtype=torch.float32)
    y = torch.tensor(np.log(frame[["tsh"]].to_numpy()), dtype=torch.float32)

    folds = list(GroupKFold(n_splits=2).split(x, groups=frame["plate"]))
    results = {}
    for width, lr in itertools.product((16, 32), (3e-3, 1e-2)):
        errors = []
        for k, (train, test) in enumerate(folds):
            model = fit(x[train], y[train], width, lr, 60, SEED + k)
            errors.append(score(model, x[test], y[test]))
        results[width, lr] = sum(errors) / len(errors)
        print(f"width {width:2d} lr {lr:.3f}: error {results[width, lr]:.7f}")

    width, lr = min(results, key=results.get)
    model = fit(x, y, width, lr, 250, SEED)
    print(f"chosen width {width}, lr {lr}; error on all wells {score(model, x, y):.7f}")
    torch.save(model.state_dict(), "tsh.pt")
    logging.info("finished after %s", datetime.now() - started)


if __name__ == "__main__":
    main()
