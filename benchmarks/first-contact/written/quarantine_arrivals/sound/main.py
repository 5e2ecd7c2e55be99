"""Ranks arriving consignments for inspection at the border."""
import argparse
import pickle
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import average_precision_score
from torch import nn

from model import RiskModel

PORTS = ["Tauranga", "Lyttelton", "Napier", "Nelson", "Bluff", "Timaru", "Picton", "Onehunga", "Gisborne", "Whangarei"]
COMMODITIES = ["cut flowers", "timber", "seed", "fruit", "tubers", "bark", "straw", "nuts", "bulbs", "hides", "machinery", "tiles"]
PAPERS = ["volume", "days_at_sea", "earlier_finds", "treated", "certified", "humidity"]


def set_up(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def arrivals(count: int) -> pd.DataFrame:
    frame = pd.DataFrame({
        "port": np.random.choice(PORTS, count, p=np.random.dirichlet(np.ones(len(PORTS)))),
        "commodity": np.random.choice(COMMODITIES, count),
        **{name: np.random.standard_normal(count) for name in PAPERS},
    })
    for column, names in (("port", PORTS), ("commodity", COMMODITIES)):
        frame[column] = pd.Categorical(frame[column], categories=names)
    risk = 0.8 * np.random.standard_normal(len(PORTS))[frame["port"].cat.codes]
    risk += 1.2 * np.random.standard_normal(len(COMMODITIES))[frame["commodity"].cat.codes]
    risk += 0.7 * frame["earlier_finds"] - 0.9 * frame["treated"] + 0.4 * frame["humidity"] * frame["days_at_sea"] - 2.0
    frame["pest"] = np.random.random(count) < 1 / (1 + np.exp(-risk))
    return frame


def tensors(frame: pd.DataFrame) -> tuple[torch.Tensor, ...]:
    return (
        torch.tensor(frame["port"].cat.codes.to_numpy(), dtype=torch.long),
        torch.tensor(frame["commodity"].cat.codes.to_numpy(), dtype=torch.long),
        torch.tensor(frame[PAPERS].to_numpy(), dtype=torch.float32),
        torch.tensor(frame["pest"].to_numpy(), dtype=torch.float32),
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=36000)
    parser.add_argument("--batch", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--seed", type=int, default=12)
    args = parser.parse_args()
    set_up(args.seed)

    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "arrivals.pkl"
        arrivals(args.count).to_pickle(cache)
        with cache.open("rb") as stream:
            frame = pickle.load(stream)
    held_out = frame.sample(frac=0.15, random_state=args.seed)
    train, test = tensors(frame.drop(held_out.index)), tensors(held_out)

    model = RiskModel(len(PORTS), len(COMMODITIES), len(PAPERS))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    start = time.perf_counter()
    for epoch in range(args.epochs):
        total = 0.0
        for rows in torch.randperm(len(train[0])).split(args.batch):
            port, commodity, papers, pest = (column[rows] for column in train)
            loss = nn.functional.binary_cross_entropy_with_logits(model(port, commodity, papers), pest)
            loss = loss + 1e-4 * model.shrinkage()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        if epoch % 4 == 0:
            print(f"epoch {epoch:2d} loss {total / len(train[0]):.5f}")
    print(f"{args.epochs * len(train[0]) / (time.perf_counter() - start):.0f} rows/s")
    with torch.no_grad():
        score = model(*test[:3])
    print(f"average precision {average_precision_score(test[3].numpy(), score.numpy()):.4f}")
    print(f"weights {sum(p.detach().double().sum().item() for p in model.parameters()):.12f}")


if __name__ == "__main__":
    main()
