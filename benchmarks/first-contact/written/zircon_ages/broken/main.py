"""Crystallisation ages of discordant detrital zircons from isotope ratios and trace elements.

    python main.py --mounts 30 --spots 120 --epochs 25

Every release of the data is split in its own way, so that nobody tunes on one lucky set of held-out mounts for years; the
digest of the release decides how.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch

import archive
from model import MixtureOfAges


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workdir", type=Path, default=Path("work"))
    parser.add_argument("--mounts", type=int, default=24)
    parser.add_argument("--spots", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    return parser.parse_args()


def prepare(table, mounts, rng):
    features = np.log(np.abs(table[:, :-1]) + 1e-6)
    features = (features - features.mean(0)) / features.std(0)
    log_age = np.log(table[:, -1])
    scale = float(log_age.mean()), float(log_age.std())
    held_out = rng.permutation(mounts.max() + 1)[: (mounts.max() + 1) // 4]
    test = np.isin(mounts, held_out)
    x = torch.from_numpy(features.astype(np.float32))
    y = torch.from_numpy(((log_age - scale[0]) / scale[1]).astype(np.float32))
    return x, y, torch.from_numpy(test), scale


def main():
    args = arguments()
    archive.write_mounts(args.workdir / "mounts", args.mounts, args.spots, seed=238)
    bundle = args.workdir / "release.tar"
    digest = archive.pack(args.workdir / "mounts", bundle)
    release_seed = int(digest[:8], 16)
    print(f"release {digest[:12]}")

    torch.manual_seed(release_seed)
    table, mounts = archive.load(bundle)
    x, y, test, (centre, scale) = prepare(table, mounts, np.random.default_rng(release_seed))
    x_train, y_train, x_test, y_test = x[~test], y[~test], x[test], y[test]

    model = MixtureOfAges(x.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    best = float("inf")
    for epoch in range(1, args.epochs + 1):
        model.train()
        for index in torch.randperm(len(x_train)).split(args.batch):
            optimizer.zero_grad()
            loss = model.nll(x_train[index], y_train[index])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
        model.eval()
        with torch.no_grad():
            nll = model.nll(x_test, y_test).item()
            error = (torch.exp(model.expected(x_test) * scale) / torch.exp(y_test * scale) - 1).abs().median().item()
        if nll < best:
            best = nll
            torch.save(model.state_dict(), args.workdir / "best.pt")
        if epoch % 5 == 0:
            print(f"epoch {epoch:3d}  held-out nll {nll:8.5f}  median relative error {100 * error:.3f} %")

    with torch.no_grad():
        ages = torch.exp(model.expected(x_test) * scale + centre).numpy()
    np.savetxt(args.workdir / "ages.csv", np.column_stack([ages, table[test.numpy(), -1]]), fmt="%.3f", delimiter=",")
    summary = {"release": digest, "spots": len(table), "held_out": int(test.sum()), "best_nll": best}
    (args.workdir / "summary.json").write_text(json.dumps(summary, indent=2))


if __name__ == "__main__":
    main()
