"""Dose of an antifungal from the growth of yeast: curve fits first, then a small network."""
import argparse
import time

import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import GroupShuffleSplit
from torch import nn

import fits

COLUMNS = ["capacity", "rate", "midpoint", "residual"]


def table(plates, fitted) -> pd.DataFrame:
    frames = []
    for plate in plates:
        frame = pd.DataFrame(fitted[plate.barcode], columns=COLUMNS)
        frame["drug"] = plate.drug
        frame["plate"] = plate.barcode
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plates", type=int, default=80)
    parser.add_argument("--wells", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    plates = fits.make_plates(args.plates, args.wells, np.random.default_rng(args.seed))

    began = time.perf_counter()
    fitted, evaluations = fits.fit_all(plates, args.processes)
    print(f"{args.plates * args.wells} curves fitted in {time.perf_counter() - began:.2f} s")
    print(f"{evaluations / (args.plates * args.wells):.2f} evaluations a curve")

    wells = table(plates, fitted)
    splitter = GroupShuffleSplit(1, test_size=0.25, random_state=args.seed)
    train, test = next(splitter.split(wells, groups=wells["plate"]))
    x = wells[COLUMNS].to_numpy()
    x = (x - x[train].mean(0)) / x[train].std(0)
    x = torch.tensor(x, dtype=torch.float32)
    y = torch.tensor(wells["drug"].to_numpy(), dtype=torch.float32)

    model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Dropout(0.05), nn.Linear(32, 1), nn.Sigmoid())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    train, test = torch.from_numpy(train), torch.from_numpy(test)
    for epoch in range(args.epochs):
        model.train()
        for rows in train[torch.randperm(len(train))].split(32):
            loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 20 == 19:
            print(f"epoch {epoch + 1}  loss {loss.item():.9f}")

    model.eval()
    with torch.no_grad():
        error = (model(x[test]).squeeze(1) - y[test]).abs().mean().item()
    print(f"mean capacity {wells['capacity'].mean():.12f}")
    print(f"test error {error:.10f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
