"""Default scorecard for a mortgage book, trained on balanced draws from its database."""

import argparse
import pickle
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from store import LoanBook, create


@dataclass
class Report:
    epoch: int
    loss: float
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loans", type=int, default=12000)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=67)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    reports: list[Report] = []
    with tempfile.TemporaryDirectory(prefix="mortgages-") as tmp:
        path = Path(tmp) / "book.db"
        create(path, args.loans, args.seed)
        book = LoanBook(path, args.seed + 1)
        net = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Dropout(0.1), nn.Linear(24, 1), nn.Flatten(0))
        opt = torch.optim.RMSprop(net.parameters(), lr=2e-3)
        for epoch in range(args.epochs):
            began, total, count = time.perf_counter(), 0.0, 0
            for x, y in book.batches(32):
                loss = F.binary_cross_entropy_with_logits(net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item()
                count += 1
            reports.append(Report(epoch, total / count, time.perf_counter() - began))
            with open(Path(tmp) / "progress.pkl", "wb") as out:
                pickle.dump([asdict(r) for r in reports], out)
        x, y = book.everything()
        book.close()

    net.eval()
    with torch.no_grad():
        logits = net(x)
    bad, good = logits[y > 0.5], logits[y < 0.5]
    gini = 2 * (bad[:, None] > good[None, :]).double().mean().item() - 1
    print(f"slowest epoch {max(r.seconds for r in reports):.3f} s")
    print(f"last loss {reports[-1].loss:.7f}, gini {gini:.7f}, mean logit {logits.mean().item():.7f}")
    print(f"weights {sum(p.double().sum().item() for p in net.parameters()):.8f}")


if __name__ == "__main__":
    main()
