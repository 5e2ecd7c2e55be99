"""Online fair-value model for gilts, trained from a replay of recent quotes."""
import argparse
import sqlite3
import time
from contextlib import closing

import numpy as np
import torch
from torch import nn

from feed import quotes
from replay import Replay


class FairValue(nn.Module):
    def __init__(self, bonds, width=40):
        super().__init__()
        self.bond = nn.Embedding(bonds, 6)
        self.body = nn.Sequential(nn.Linear(10, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, bond, curve):
        return self.body(torch.cat([self.bond(bond), curve], 1))[:, 0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=404)
    parser.add_argument("--quotes", type=int, default=1800)
    parser.add_argument("--bonds", type=int, default=12)
    parser.add_argument("--half-life", type=float, default=0.25, help="seconds")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    model = FairValue(args.bonds)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    replay = Replay(capacity=600, half_life=args.half_life, rng=np.random.default_rng(args.seed))

    with closing(sqlite3.connect(":memory:")) as log:
        log.execute("create table progress (quote integer primary key, ahead real, loss real)")
        began = time.perf_counter()
        for number, quote in enumerate(quotes(args.quotes, args.bonds, args.seed)):
            with torch.no_grad():
                guess = model(torch.tensor([quote.bond]), torch.tensor(quote.curve)[None]).item()
            replay.add(quote)
            if number >= 100 and number % 4 == 0:
                bond, curve, price = replay.sample(64)
                loss = nn.functional.mse_loss(model(bond, curve), price)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                log.execute("insert into progress values (?, ?, ?)", (number, (guess - quote.price) ** 2, loss.item()))
        print(f"{args.quotes / (time.perf_counter() - began):.0f} quotes/s")
        for block, ahead, loss in log.execute(
            "select quote / 400, avg(ahead), avg(loss) from progress group by 1 order by 1"
        ).fetchall():
            print(f"block {block}: ahead {ahead:.7f}, replay {loss:.7f}")
        (final,) = log.execute("select avg(ahead) from progress where quote > ?", (args.quotes // 2,)).fetchone()

    print(f"prequential error {final:.9f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
