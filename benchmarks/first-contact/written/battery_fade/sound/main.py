"""Capacity fade of battery cells from their first cycles, with early stopping."""
import argparse
import json
import os
import time
from pathlib import Path

import torch

from cells import load_cells
from history import History
from regressor import FadeNet, errors, run_epoch


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=25)
    p.add_argument("--patience", type=int, default=4)
    p.add_argument("--cells", type=int, default=500)
    p.add_argument("--seed", type=int, default=17)
    p.add_argument("--work", type=Path, default=Path("work"))
    a = p.parse_args()
    a.work.mkdir(exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(a.seed)

    t0 = time.time()
    x, y = load_cells(a.cells, a.seed, a.work / "cache")
    with open(a.work / "runs.log", "a") as f:
        f.write(f"{time.ctime(t0)} pid {os.getpid()}: data after {time.time() - t0:.2f} s\n")

    order = torch.randperm(len(y))
    n = int(0.7 * len(y))
    train, valid = order[:n], order[n:]
    net = FadeNet(x.shape[1])
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    history = History(a.work / "history.csv", patience=a.patience)
    for epoch in range(a.epochs):
        loss = run_epoch(net, opt, x[train], y[train])
        mae = errors(net, x[valid], y[valid]).mean().item()
        history.add(epoch, loss, mae)
        print(f"epoch {epoch:2d}  loss {loss:.5f}  valid mae {mae:.5f}")
        if history.improved():
            torch.save(net.state_dict(), a.work / "best.pt")
        if history.stalled():
            print(f"no progress for {a.patience} epochs, stopping")
            break

    net.load_state_dict(torch.load(a.work / "best.pt"))
    err = errors(net, x[valid], y[valid])
    print(f"{epoch + 1} epochs, mae {err.mean():.5f}, worst cell {order[n:][err.argmax()].item()}")
    torch.save(net.state_dict(), a.work / "final.pt")
    (a.work / "result.json").write_text(json.dumps(
        {"epochs": epoch + 1, "mae": err.mean().item(), "p90": err.quantile(0.9).item()}))


if __name__ == "__main__":
    main()
