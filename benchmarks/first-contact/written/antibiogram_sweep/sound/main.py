"""Predict resistance from genes: try a few settings, keep the best."""
from itertools import product
from pathlib import Path

import torch

from model import isolates, score, train
from runs import open_run


def main():
    x, y = isolates(2400)
    parts = {"train": slice(0, 1600), "valid": slice(1600, 2000), "test": slice(2000, None)}
    best = None
    for width, dropout, lr in product([32, 96], [0.1, 0.4], [1e-3, 5e-3]):
        run = open_run("sweep", width=width, dropout=dropout, lr=lr, epochs=5)
        model = train(run, x[parts["train"]], y[parts["train"]])
        loss, _ = score(model, x[parts["valid"]], y[parts["valid"]])
        torch.save(model.state_dict(), Path(run["folder"]) / "model.pt")
        print(f"width {width:3d}  dropout {dropout:.1f}  lr {lr:.3f}  valid loss {loss:.6f}   -> {run['folder']}")
        if best is None or loss < best[0]:
            best = loss, run, model

    loss, run, model = best
    test_loss, by_drug = score(model, x[parts["test"]], y[parts["test"]])
    print(f"best: width {run['width']}, dropout {run['dropout']}, lr {run['lr']}; test loss {test_loss:.6f}")
    for drug, right in by_drug.items():
        print(f"  {drug:14s} {right:.4f}")
    torch.save(model.state_dict(), "best.pt")


if __name__ == "__main__":
    main()
