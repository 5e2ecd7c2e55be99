"""How far will a herd of zebras move? Sightings that lie close together make a herd."""
import argparse
import logging
import sys
import time
import zlib

import torch
import torch.nn.functional as F
from torch import nn

from herds import find_herds, link, observe

log = logging.getLogger("zebras")


class Forecast(nn.Module):
    def __init__(self, herds: int, width: int = 12):
        super().__init__()
        self.habit = nn.Embedding(herds, width)
        self.head = nn.Sequential(nn.Linear(width + 4, 32), nn.SiLU(), nn.Dropout(0.1), nn.Linear(32, 1))

    def forward(self, herd, features):
        return self.head(torch.cat([self.habit(herd), features], 1)).squeeze(1)


def tensors(herds, order):
    """Features of all sightings in the order in which they were made."""
    number = {}
    for index, herd in enumerate(herds):
        for sighting in herd:
            number[sighting] = index
    herd = torch.tensor([number[sighting] for sighting in order])
    rows = [[s.east, s.north, s.hour / 24, len(s.near) / 10] for s in order]
    return herd, torch.tensor(rows), torch.tensor([s.moved for s in order])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=23)
    parser.add_argument("--sightings", type=int, default=1600)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--patience", type=int, default=3)
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s: %(message)s")
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)

    started = time.perf_counter()
    sightings = observe(args.sightings, args.seed)
    link(sightings, radius=0.021)
    herds = find_herds(sightings)
    log.info("%d sightings in %d herds (%.2f s)", len(sightings), len(herds), time.perf_counter() - started)

    herd, features, moved = tensors(herds, sightings)
    cut = int(0.85 * len(moved))
    model = Forecast(len(herds))
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    best, waited = float("inf"), 0
    for epoch in range(args.epochs):
        model.train()
        for rows in torch.randperm(cut).split(64):
            loss = F.smooth_l1_loss(model(herd[rows], features[rows]), moved[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            held = F.smooth_l1_loss(model(herd[cut:], features[cut:]), moved[cut:]).item()
        plateau.step(held)
        log.info("epoch %d: %.6f", epoch, held)
        waited = 0 if held < best else waited + 1
        best = min(best, held)
        if waited >= args.patience:
            log.info("stopped early")
            break

    checksum = zlib.crc32(b"".join(value.numpy().tobytes() for value in model.state_dict().values()))
    print(f"best {best:.8f}  weights {checksum:08x}")


if __name__ == "__main__":
    main()
