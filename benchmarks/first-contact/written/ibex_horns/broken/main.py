"""Predict the horn length of ibex from one capture and who the parents were."""
import argparse

import torch
from torch.nn import functional as F

import herd
from model import HornModel, ParentIndex, encode


def rmse_mm(net, pairs, measures, target):
    net.eval()
    with torch.no_grad():
        error = net(pairs, measures) - target
    net.train()
    return 500 * error.square().mean().sqrt().item()


def top_sires(net, index, n=5):
    norms = net.parents.weight.detach().norm(dim=1)
    sires = sorted((a for a in index.row if a.sex == "m"), key=lambda a: a.tag)
    sires.sort(key=lambda a: -norms[index.row[a]].item())
    return [(a.tag, norms[index.row[a]].item()) for a in sires[:n]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", default="horns.pt")
    args = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    captures = herd.load()
    index = ParentIndex(captures)
    pairs, measures, target = encode(captures, index)
    held = len(captures) // 5
    test, train = slice(0, held), slice(held, None)
    print(f"{len(captures)} captures, {len(index)} parents, {held} held out")

    net = HornModel(len(index))
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-3)
    tr_pairs, tr_measures, tr_target = pairs[train], measures[train], target[train]
    for epoch in range(args.epochs):
        total = 0.0
        for chunk in torch.randperm(len(tr_target)).split(args.batch):
            loss = F.huber_loss(net(tr_pairs[chunk], tr_measures[chunk]), tr_target[chunk], delta=0.2)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chunk)
        test_error = rmse_mm(net, pairs[test], measures[test], target[test])
        print(f"epoch {epoch:2d}  loss {total / len(tr_target):.6f}  held-out rmse {test_error:.4f} mm")

    for tag, norm in top_sires(net, index):
        print(f"sire {tag}  effect {norm:.5f}")
    torch.save(net.state_dict(), args.out)


if __name__ == "__main__":
    main()
