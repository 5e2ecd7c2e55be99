"""Early-withdrawal model on a versioned export of term deposits; the split belongs to the version of the data."""
import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from export import Version, deposits, write_export

COLUMNS = ["months", "log_balance", "rate", "gap", "opened_quarter"]


def features(frame: pd.DataFrame) -> torch.Tensor:
    table = pd.DataFrame(
        {
            "months": frame["months"] / 12,
            "log_balance": np.log(frame["balance"]) - 9,
            "rate": frame["rate"],
            "gap": frame["rival"] - frame["rate"],
            "opened_quarter": frame["opened"].dt.quarter / 4,
        }
    )
    return torch.tensor(table[COLUMNS].to_numpy(), dtype=torch.float32)


def three_way(version: Version) -> dict[str, torch.Tensor]:
    """The same data always give the same split, whoever trains and with whatever seed."""
    order = np.random.default_rng(version.split_seed).permutation(version.rows)
    first, second = int(0.7 * version.rows), int(0.85 * version.rows)
    parts = {"train": order[:first], "valid": order[first:second], "test": order[second:]}
    return {name: torch.from_numpy(np.sort(rows)) for name, rows in parts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=9000)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--patience", type=int, default=2)
    parser.add_argument("--seed", type=int, default=505)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    began = time.monotonic()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write_export(deposits(args.accounts, args.seed), folder)
        version = Version.load(folder / "VERSION.json")
        print(f"export of {version.rows} rows, {path.stat().st_size / 1024:.0f} KiB")
        frame = pd.read_csv(path, parse_dates=["opened"])

    x = features(frame)
    y = torch.tensor(frame["withdrawn"].to_numpy(), dtype=torch.float32)
    split = three_way(version)
    mean, std = x[split["train"]].mean(0), x[split["train"]].std(0)
    x = (x - mean) / std

    model = nn.Sequential(nn.Linear(len(COLUMNS), 40), nn.Tanh(), nn.Dropout(0.1), nn.Linear(40, 1))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    loss_of = nn.BCEWithLogitsLoss()
    loader = DataLoader(
        TensorDataset(x[split["train"]], y[split["train"]]), batch_size=100, shuffle=True
    )

    def score(part: str) -> float:
        model.eval()
        with torch.no_grad():
            return loss_of(model(x[split[part]]).squeeze(1), y[split[part]]).item()

    best, kept, worse = float("inf"), None, 0
    for epoch in range(args.epochs):
        model.train()
        for features_, label in loader:
            optimizer.zero_grad()
            loss_of(model(features_).squeeze(1), label).backward()
            optimizer.step()
        valid = score("valid")
        print(f"epoch {epoch} valid {valid:.7f}")
        if valid < best:
            best, worse = valid, 0
            kept = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            worse += 1
            if worse > args.patience:
                break
    model.load_state_dict(kept)
    print(f"test {score('test'):.7f}")
    print(f"weights {sum(v.double().sum().item() for v in kept.values()):.9f}")
    print(f"done in {time.monotonic() - began:.2f} s")


if __name__ == "__main__":
    main()
