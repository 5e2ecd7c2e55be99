"""Predict which clan a tagged jackdaw belongs to from its contacts at the roost."""

import argparse
import json
import logging
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from graph import normalised_laplacian, positional_encoding, synth_roost

log = logging.getLogger("jackdaws")


class ContactNet(nn.Module):
    def __init__(self, features: int, hidden: int, clans: int):
        super().__init__()
        self.first = nn.Linear(features, hidden)
        self.second = nn.Linear(2 * hidden, hidden)
        self.head = nn.Linear(hidden, clans)
        self.drop = nn.Dropout(0.3)

    def forward(self, x: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
        h = F.relu(self.first(x))
        h = self.drop(torch.cat([h, mix @ h], dim=1))
        return self.head(F.relu(self.second(h)))


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--birds", type=int, default=360)
    p.add_argument("--clans", type=int, default=5)
    p.add_argument("--width", type=int, default=8)
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--seed", type=int, default=11)
    return p.parse_args()


def main() -> None:
    args = parse()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.manual_seed(args.seed)

    roost = synth_roost(args.birds, args.clans, args.seed)
    began = time.perf_counter()
    encoding = positional_encoding(roost.adjacency, args.width)
    log.info("encoding took %.3f s", time.perf_counter() - began)

    degree = np.asarray(roost.adjacency.sum(axis=1)).ravel()
    plain = np.stack([np.log1p(roost.age), np.log(degree)], axis=1)
    plain = (plain - plain.mean(0)) / plain.std(0)
    x = torch.from_numpy(np.concatenate([plain, encoding], axis=1)).float()
    lap = torch.from_numpy(normalised_laplacian(roost.adjacency).toarray()).float()
    mix = torch.eye(args.birds) - lap
    y = torch.from_numpy(roost.clan)

    split = np.random.default_rng(args.seed + 1).permutation(args.birds)
    train = torch.from_numpy(split[: args.birds // 3])
    test = torch.from_numpy(split[args.birds // 3 :])

    net = ContactNet(x.shape[1], 32, args.clans)
    opt = torch.optim.AdamW(net.parameters(), lr=5e-3, weight_decay=1e-2)
    with tempfile.TemporaryDirectory() as tmp:
        best, kept = float("inf"), Path(tmp) / "best.pt"
        for epoch in range(args.epochs):
            net.train()
            loss = F.cross_entropy(net(x, mix)[train], y[train])
            opt.zero_grad()
            loss.backward()
            opt.step()
            if loss.item() < best:
                best = loss.item()
                torch.save(net.state_dict(), kept)
            if epoch % 15 == 0:
                log.info("epoch %d loss %.4f", epoch, loss.item())
        net.load_state_dict(torch.load(kept))

    net.eval()
    with torch.no_grad():
        logits = net(x, mix)[test]
    weights = sum(p.double().abs().sum().item() for p in net.parameters())
    print(json.dumps({
        "test_loss": round(F.cross_entropy(logits, y[test]).item(), 7),
        "accuracy": round((logits.argmax(1) == y[test]).float().mean().item(), 4),
        "weights": round(weights, 6),
    }))


if __name__ == "__main__":
    main()
