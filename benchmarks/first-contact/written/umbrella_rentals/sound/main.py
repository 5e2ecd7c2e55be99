"""Forecasts how many umbrellas a stand will rent out today."""
import argparse
import io
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset

from rentals import StandWindows


class Demand(nn.Module):
    def __init__(self):
        super().__init__()
        self.history = nn.Sequential(nn.Flatten(), nn.Linear(56, 64), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Sequential(nn.Linear(65, 32), nn.ReLU(), nn.Linear(32, 1), nn.Softplus())

    def forward(self, features, rain):
        hidden = self.history(torch.log1p(features.clamp_min(0)))
        return self.head(torch.cat([hidden, rain.unsqueeze(1)], dim=1)).squeeze(1)


def make_loader(dataset, args, seed, shuffle):
    return DataLoader(
        dataset,
        batch_size=args.batch_size,
        shuffle=shuffle,
        num_workers=args.workers,
        prefetch_factor=4,
        drop_last=shuffle,
        multiprocessing_context="fork",
        generator=torch.Generator().manual_seed(seed),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    windows = StandWindows(stands=12, days=126, seed=args.seed)
    parts = torch.randperm(len(windows), generator=torch.Generator().manual_seed(args.seed)).tolist()
    train, held = Subset(windows, parts[120:]), Subset(windows, parts[:120])
    train_loader = make_loader(train, args, args.seed + 1, shuffle=True)

    model = Demand()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        windows.epoch = epoch
        model.train()
        total = torch.zeros(())
        for features, rain, rented in train_loader:
            rate = model(features, rain)
            loss = nn.functional.poisson_nll_loss(rate, rented, log_input=False)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        print(f"epoch {epoch}: loss {total.item() / len(train_loader):.6f}")
    seconds = time.perf_counter() - began
    print(f"{args.epochs * len(train) / seconds:.0f} windows/s")

    model.eval()
    with torch.no_grad():
        items = [held[i] for i in range(len(held))]
        features, rain, rented = (torch.stack(column) for column in zip(*items))
        error = (model(features, rain) - rented).abs().mean().item()
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    print(f"checkpoint of {buffer.tell()} bytes")
    print(f"mean absolute error {error:.8f} umbrellas")


if __name__ == "__main__":
    main()
