"""Next-receiver model for lacrosse possessions.

Every possession is a chain of passes between the six attacking positions; the
model reads the chain so far and predicts who gets the ball next.
"""
import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch
from torch import nn

from plays import POSITIONS, PossessionSet, collate, simulate_season
from runlog import RunLog

PAD = len(POSITIONS)


class ReceiverNet(nn.Module):
    def __init__(self, dim=24, hidden=48, dropout=0.15):
        super().__init__()
        self.player = nn.Embedding(PAD + 1, dim, padding_idx=PAD)
        self.clock = nn.Linear(1, dim)
        self.rnn = nn.GRU(dim, hidden, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(hidden, PAD)

    def forward(self, chain, clock):
        x = self.player(chain) + self.clock(clock.unsqueeze(-1))
        h, _ = self.rnn(x)
        return self.head(self.drop(h))


def masked_loss(logits, target):
    return nn.functional.cross_entropy(
        logits.reshape(-1, PAD), target.reshape(-1), ignore_index=PAD
    )


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits = total = 0
    loss_sum = 0.0
    for chain, clock, target in loader:
        logits = model(chain, clock)
        keep = target != PAD
        hits += (logits.argmax(-1)[keep] == target[keep]).sum().item()
        total += keep.sum().item()
        loss_sum += masked_loss(logits, target).item() * keep.sum().item()
    return loss_sum / total, hits / total


def set_seeds(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def parse_args():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--seed", type=int, default=11)
    p.add_argument("--games", type=int, default=18)
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--out", type=Path, default=Path("out"))
    return p.parse_args()


def main():
    args = parse_args()
    set_seeds(args.seed)
    args.out.mkdir(exist_ok=True)

    season = simulate_season(args.games)
    cut = int(0.85 * len(season))
    train_set, held_out = PossessionSet(season[:cut]), PossessionSet(season[cut:])
    train = torch.utils.data.DataLoader(
        train_set, batch_size=args.batch_size, shuffle=True, collate_fn=collate
    )
    test = torch.utils.data.DataLoader(held_out, batch_size=128, collate_fn=collate)
    print(f"{len(train_set)} possessions to train on, {len(held_out)} held out")

    log = RunLog(args.out / "run.json", vars(args))
    log.describe(train_set, held_out)

    model = ReceiverNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(train))

    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for chain, clock, target in train:
            loss = masked_loss(model(chain, clock), target)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            running += loss.item()
        val_loss, accuracy = evaluate(model, test)
        log.epoch(epoch, running / len(train), val_loss, accuracy)
        print(
            f"epoch {epoch}  train {running / len(train):.5f}  "
            f"val {val_loss:.5f}  next-receiver {accuracy:.4f}"
        )

    log.close()
    torch.save(model.state_dict(), args.out / "receiver.pt")
    likely = model.head.bias.detach().softmax(0)
    print(json.dumps({p: round(v, 5) for p, v in zip(POSITIONS, likely.tolist())}))


if __name__ == "__main__":
    main()
