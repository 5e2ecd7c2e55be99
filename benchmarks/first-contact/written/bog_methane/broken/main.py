"""Estimates methane flux from chamber traces, with two loader workers and a checkpoint of the best epoch."""
import argparse
import hashlib
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

import chambers


class FluxNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trace = nn.Sequential(nn.Conv1d(1, 16, 7, stride=2), nn.GELU(), nn.Conv1d(16, 16, 5, stride=2), nn.GELU(), nn.Flatten())
        self.head = nn.Sequential(nn.LazyLinear(48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 1))

    def forward(self, trace, covariates):
        return self.head(torch.cat([self.trace(trace[:, None]), covariates], dim=1)).squeeze(1)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=900)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=31)
    return parser.parse_args()


def evaluate(net, loader):
    net.eval()
    with torch.no_grad():
        errors = torch.cat([net(trace, cov) - flux for trace, cov, flux in loader])
    net.train()
    return errors.square().mean().sqrt().item()


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    frame, traces = chambers.field_season(args.records, args.seed)
    frame = chambers.tidy(frame)
    order = np.random.default_rng(args.seed + 1).permutation(len(frame))
    cut = len(frame) * 4 // 5
    train = chambers.Chambers(frame.iloc[order[:cut]], traces[order[:cut]], augment=True)
    held = chambers.Chambers(frame.iloc[order[cut:]], traces[order[cut:]], augment=False)
    loader = DataLoader(train, 32, shuffle=True, num_workers=2, generator=torch.Generator().manual_seed(args.seed))
    test = DataLoader(held, 90)
    net = FluxNet()
    net(*next(iter(test))[:2])
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    history = []
    with tempfile.TemporaryDirectory(prefix="bog-") as folder:
        best = Path(folder) / "best.pt"
        for epoch in range(args.epochs):
            began = time.perf_counter()
            train.epoch = epoch
            for trace, cov, flux in loader:
                loss = nn.functional.smooth_l1_loss(net(trace, cov), flux)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            rmse = evaluate(net, test)
            if not history or rmse < min(history):
                torch.save(net.state_dict(), best)
            history.append(rmse)
            print(f"epoch {epoch} rmse {rmse:.6f} ({len(train) / (time.perf_counter() - began):.0f} records/s)")
        net.load_state_dict(torch.load(best))
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in net.parameters())).hexdigest()[:16]
    print(json.dumps({"best_rmse": min(history), "weights": digest}))


if __name__ == "__main__":
    main()
