"""Predict when a peptide leaves the column."""
import argparse
import csv
import logging
import random
import time

import torch
from torch import nn

from net import RetentionNet
from peptides import digest
from tokens import Alphabet

log = logging.getLogger("retention")


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peptides", type=int, default=1400)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=31)
    return parser.parse_args()


def main():
    args = parse()
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    torch.manual_seed(args.seed)
    peptides = digest(args.peptides, random.Random(args.seed))

    cut = int(0.8 * len(peptides))
    train = peptides[:cut]
    known = {peptide.residues for peptide in train}
    test = [peptide for peptide in peptides[cut:] if peptide.residues not in known]

    alphabet = Alphabet(peptides)
    codes, minutes = alphabet.encode(train)
    test_codes, test_minutes = alphabet.encode(test)
    centre, spread = minutes.mean(), minutes.std()

    model = RetentionNet(len(alphabet))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    started = time.time()
    curve = []
    for epoch in range(args.epochs):
        order = torch.randperm(len(codes))
        for rows in order.split(args.batch):
            loss = nn.functional.smooth_l1_loss(model(codes[rows]), (minutes[rows] - centre) / spread)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            error = (model(test_codes) * spread + centre - test_minutes).abs().mean().item()
        curve.append((epoch, loss.item(), error))
        log.info("epoch %d: loss %.6f, test error %.6f minutes (%.1f s)", epoch, loss.item(), error,
                 time.time() - started)

    with open("curve.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["epoch", "loss", "test_minutes"])
        writer.writerows(curve)
    torch.save(model.state_dict(), "retention.pt")
    print(f"{len(train)} peptides in training, {len(test)} in the test, {len(alphabet)} symbols")
    print(f"test error {curve[-1][2]:.6f} minutes")


if __name__ == "__main__":
    main()
