"""Grain yield from plot observations: train on early seasons, test on the last."""
import argparse
import tempfile
import time
from pathlib import Path

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import fieldbook

NUMERIC = ["nitrogen", "rain", "tillers", "rust", "height"]


class YieldNet(nn.Module):
    def __init__(self, varieties):
        super().__init__()
        self.variety = nn.Embedding(varieties, 6)
        self.body = nn.Sequential(
            nn.Linear(len(NUMERIC) + 6, 48), nn.SiLU(), nn.Dropout(0.1), nn.Linear(48, 24), nn.SiLU(), nn.Linear(24, 1))

    def forward(self, numeric, variety):
        return self.body(torch.cat([numeric, self.variety(variety)], 1)).squeeze(1)


def tensors(table, mean, scale):
    numeric = ((table[NUMERIC] - mean) / scale).to_numpy("float32")
    codes = table["variety"].cat.codes.to_numpy("int64")
    grain = table["yield"].to_numpy("float32")
    return TensorDataset(*(torch.from_numpy(a.copy()) for a in (numeric, codes, grain)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plots", type=int, default=96)
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="fieldbook-") as folder:
        path = Path(folder) / "book.sqlite"
        fieldbook.fill(path, args.plots, range(2015, 2023), args.seed)
        table = fieldbook.load(path)
    table["variety"] = pd.Categorical(table["variety"], categories=sorted(table["variety"].unique()))
    table["rain"] = table["rain"].fillna(table.groupby("season")["rain"].transform("median"))
    early, last = table[table["season"] < 2022], table[table["season"] == 2022]
    print(f"{len(early)} observations to train on, {len(last)} to test on")
    mean, scale = early[NUMERIC].mean(), early[NUMERIC].std()

    loader = DataLoader(tensors(early, mean, scale), batch_size=32, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = YieldNet(len(table["variety"].cat.categories))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        for numeric, variety, grain in loader:
            loss = nn.functional.mse_loss(model(numeric, variety), grain)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"{args.epochs} epochs, {time.perf_counter() - began:.2f} s")

    model.eval()
    with torch.no_grad():
        numeric, variety, grain = tensors(last, mean, scale).tensors
        errors = pd.Series((model(numeric, variety) - grain).abs().numpy(), index=last.index)
    ranking = errors.groupby(last["variety"], observed=True).mean().sort_values()
    print(f"hardest variety {ranking.index[-1]} ({ranking.iloc[-1]:.6f} t/ha)")
    print(f"mean error {errors.mean():.7f} t/ha, last loss {loss.item():.8f}")


if __name__ == "__main__":
    main()
