"""Predicts the legal catch of a lobster trap from the haul register."""
import argparse
import hashlib
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from store import COLUMNS, Register

HARBOURS = ["cutler", "jonesport", "stonington", "vinalhaven", "friendship"]
BAITS = ["herring", "menhaden", "redfish"]


def simulate(count, seed):
    rng = np.random.default_rng(seed)
    harbour = rng.choice(HARBOURS, size=count, p=[0.4, 0.25, 0.2, 0.1, 0.05])
    depth = rng.gamma(4.0, 9.0, size=count)
    soak = rng.integers(1, 8, size=count).astype(float)
    temperature = rng.normal(11.0, 2.5, size=count)
    bait = rng.choice(BAITS, size=count)
    rate = np.exp(0.2 + 0.08 * soak - ((depth - 30) / 45) ** 2 + 0.05 * (temperature - 11) + 0.3 * (bait == "herring"))
    legal = rng.poisson(rate)
    return [
        (i, str(h), float(d), float(s), float(t), str(b), int(n))
        for i, (h, d, s, t, b, n) in enumerate(zip(harbour, depth, soak, temperature, bait, legal))
    ]


class Hauls(Dataset):
    def __init__(self, frame, scale):
        numbers = (frame[["depth", "soak_days", "temperature"]] - scale["mean"]) / scale["std"]
        bait = pd.get_dummies(pd.Categorical(frame["bait"], categories=BAITS)).to_numpy(dtype=np.float32)
        self.x = torch.from_numpy(np.hstack([numbers.to_numpy(dtype=np.float32), bait]))
        self.h = torch.tensor([HARBOURS.index(h) for h in frame["harbour"]])
        self.y = torch.tensor(frame["legal"].to_numpy(), dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.h[i], self.y[i]


class CatchRate(nn.Module):
    def __init__(self):
        super().__init__()
        self.harbour = nn.Embedding(len(HARBOURS), 4)
        self.net = nn.Sequential(nn.Linear(10, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1))

    def forward(self, x, h):
        return self.net(torch.cat([x, self.harbour(h)], dim=1)).squeeze(1)


def to_frame(rows):
    return pd.DataFrame(rows, columns=[c.strip() for c in COLUMNS.split(",")])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hauls", type=int, default=9000)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--per-harbour", type=int, default=320)
    parser.add_argument("--seed", type=int, default=41)
    args = parser.parse_args()
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="lobster-") as name:
        folder = Path(name)
        register = Register(folder / "hauls.sqlite")
        register.create(simulate(args.hauls, args.seed))
        everything = to_frame(register.everything())
        columns = ["depth", "soak_days", "temperature"]
        scale = {"mean": everything[columns].mean(), "std": everything[columns].std()}
        with open(folder / "scale.pkl", "wb") as handle:
            pickle.dump(scale, handle)
        print(everything.groupby("harbour")["legal"].agg(["size", "mean"]).round(3).to_string())

        model = CatchRate()
        optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
        objective = nn.PoissonNLLLoss()
        order = torch.Generator().manual_seed(args.seed)
        best = float("inf")
        for turn in range(args.rounds):
            began = time.perf_counter()
            data = Hauls(to_frame(register.balanced(args.per_harbour)), scale)
            loader = DataLoader(data, batch_size=64, shuffle=True, generator=order)
            total = 0.0
            for x, h, y in loader:
                loss = objective(model(x, h), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(y)
            mean = total / len(data)
            if mean < best:
                best = mean
                torch.save(model.state_dict(), folder / "best.pt")
            print(f"round {turn} nll {mean:.6f} in {time.perf_counter() - began:.2f} s")

        model.load_state_dict(torch.load(folder / "best.pt", weights_only=True))
        whole = Hauls(everything, scale)
        with torch.no_grad():
            print(f"register nll {objective(model(whole.x, whole.h), whole.y).item():.7f}")
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters()))
    print("weights", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()
