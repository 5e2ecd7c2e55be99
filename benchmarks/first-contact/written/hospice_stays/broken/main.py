"""Weibull model of how long patients stay at a hospice, stays that have not ended included."""
import argparse
import hashlib
import logging
import os
import pickle
import tempfile
import time

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

import records

log = logging.getLogger("hospice")


class StayModel(nn.Module):
    def __init__(self, features: int):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(features, 32), nn.ELU(), nn.Dropout(0.1),
                                   nn.Linear(32, 16), nn.ELU())
        self.scale = nn.Linear(16, 1)
        self.shape = nn.Parameter(torch.zeros(()))

    def loss(self, x, days, ended):
        log_scale = self.scale(self.trunk(x)).squeeze(1)
        shape = nn.functional.softplus(self.shape) + 0.2
        z = shape * (torch.log(days) - log_scale)
        hazard = torch.log(shape) - torch.log(days) + z
        return (torch.exp(z.clamp(max=15)) - ended * hazard).mean()


def tensors(frame: pd.DataFrame):
    wide = pd.get_dummies(frame[["severity", "age", "visits", "weekend", "care"]], columns=["care"])
    x = wide.to_numpy(np.float64)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    scaled = (frame["days"] / frame["days"].mean()).clip(lower=1e-3).to_numpy()
    return TensorDataset(torch.tensor(x, dtype=torch.float32),
                         torch.tensor(scaled, dtype=torch.float32),
                         torch.tensor(frame["ended"].to_numpy(), dtype=torch.float32))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=40)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    torch.manual_seed(0)

    frame = records.load(records.export())
    log.info("%d stays, %d under way", len(frame), int((~frame["ended"]).sum()))
    print(frame.groupby("care")["visits_per_week"].mean().round(2).to_dict())
    train, test = random_split(tensors(frame), [0.8, 0.2], torch.Generator().manual_seed(1))
    loader = DataLoader(train, args.batch, shuffle=True, num_workers=1, persistent_workers=True)
    model = StayModel(train.dataset.tensors[0].shape[1])
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    best = None
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "best.pkl")
        for epoch in range(args.epochs):
            began = time.perf_counter()
            model.train()
            for batch in loader:
                optimizer.zero_grad()
                model.loss(*batch).backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                value = model.loss(*test[:]).item()
            log.info("epoch %d: %.5f in %.3f s", epoch, value, time.perf_counter() - began)
            if best is None or value < best:
                best = value
                with open(kept, "wb") as f:
                    pickle.dump({k: v.numpy() for k, v in model.state_dict().items()}, f)
        with open(kept, "rb") as f:
            weights = pickle.load(f)
    digest = hashlib.sha256(b"".join(w.tobytes() for w in weights.values())).hexdigest()
    print(f"negative log-likelihood {best:.8f} weights {digest[:16]}")


if __name__ == "__main__":
    main()
