"""Predict reaction yield from hashed substructure counts, evaluated on a scaffold split."""
import argparse
import json
import logging
import os
import time
from pathlib import Path

import torch

from fingerprints import featurize
from library import make_library
from model import YieldNet, fit, predict
from split import overlap, scaffold_split

log = logging.getLogger("yield")


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--molecules", type=int, default=1200)
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--seed", type=int, default=11)
    p.add_argument("--out", type=Path, default=Path("results"))
    return p.parse_args()


def main():
    args = parse()
    args.out.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=args.out / "train.log", level=logging.INFO,
                        format="%(asctime)s %(process)d %(name)s %(message)s")
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    log.info("started in %s", os.getcwd())

    mols = make_library(args.molecules, args.seed)
    t0 = time.perf_counter()
    x = featurize(mols)
    log.info("featurized %d molecules in %.3f s", len(mols), time.perf_counter() - t0)
    y = torch.tensor([m.yield_ for m in mols])

    train, valid, test = scaffold_split(mols, (0.7, 0.15, 0.15))
    print(f"split: {len(train)} / {len(valid)} / {len(test)}, "
          f"shared scaffolds {overlap(mols, train, test)}")

    net = YieldNet(x.shape[1])
    best = fit(net, (x[train], y[train]), (x[valid], y[valid]), args.epochs, log)
    pred = predict(net, x[test])
    rmse = (pred - y[test]).square().mean().sqrt().item()
    print(f"best epoch {best['epoch']}  valid rmse {best['rmse']:.4f}  test rmse {rmse:.4f}")

    torch.save(net.state_dict(), args.out / "yieldnet.pt")
    with open(args.out / "predictions.csv", "w") as f:
        f.write("molecule,true,predicted\n")
        for i, p in zip(test, pred.tolist()):
            f.write(f"{mols[i].name},{mols[i].yield_:.4f},{p:.4f}\n")
    (args.out / "metrics.json").write_text(json.dumps({"rmse": rmse, **best}, indent=1))
    print(f"done in {time.perf_counter() - t0:.1f} s")


if __name__ == "__main__":
    main()
