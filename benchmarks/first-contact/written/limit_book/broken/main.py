"""Replay order logs, and learn how soon the oldest order at the best bid is filled."""
import datetime
import json
import os
import tempfile
import time

import numpy as np
import torch
from torch import nn

from book import Book, Order
from messages import read_day, write_day

DAYS = 3
MESSAGES = 9000
WINDOW = 60


def snapshot(book):
    bids, asks = book.depth("buy"), book.depth("sell")
    bid, ask = book.best("buy") or 0, book.best("sell") or 0
    head = next(iter(book.levels["buy"][bid])) if bid else None
    row = [size for size, _ in bids + asks] + [count for _, count in bids + asks]
    return head, [ask - bid, head.size if head else 0] + row


def replay(path):
    """Feature rows every few messages, and how much of the front order had been filled WINDOW messages later."""
    book = Book()
    rows, watched = [], []
    for clock, (kind, number, side, price, size, owner) in enumerate(read_day(path)):
        if kind == "cancel":
            book.cancel(int(number))
        elif kind == "drop":
            book.cancel_owner(int(owner))
        else:
            book.submit(Order(int(number), side, int(price), int(size), int(owner)))
        if clock > 500 and clock % 10 == 0:
            head, row = snapshot(book)
            if head is not None:
                rows.append(row)
                watched.append((head.number, clock, len(book.fills)))
    marks = np.array([f[0] for f in book.fills])
    sizes = np.array([f[4] for f in book.fills])
    targets = []
    for number, _, seen in watched:
        later = slice(seen, seen + WINDOW)
        targets.append(float(sizes[later][marks[later] == number].sum()))
    return np.array(rows, dtype=np.float32), np.array(targets, dtype=np.float32), book


def fit(x, y, seed):
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(x.shape[1], 64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    for epoch in range(12):
        total = 0.0
        for picked in torch.randperm(len(x)).split(64):
            loss = nn.functional.huber_loss(net(x[picked]).squeeze(1), y[picked])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(picked)
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1}: loss {total / len(x):.6f}")
    return net.eval()


def main():
    torch.set_num_threads(1)
    began = time.perf_counter()
    print("replay of", datetime.date.today(), "by process", os.getpid())
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        for day in range(DAYS):
            path = os.path.join(folder, f"day{day}.csv")
            write_day(path, seed=100 + day, count=MESSAGES)
            rows, targets, book = replay(path)
            parts.append((rows, targets))
            print(f"day {day}: {len(book.fills)} fills, {len(rows)} snapshots, mean filled {targets.mean():.5f}")
    print(f"{DAYS * MESSAGES / (time.perf_counter() - began):.0f} messages per second")

    x = torch.from_numpy(np.log1p(np.concatenate([p[0] for p in parts[:-1]]).clip(0)))
    y = torch.from_numpy(np.log1p(np.concatenate([p[1] for p in parts[:-1]])))
    net = fit(x, y, seed=5)
    with torch.no_grad():
        guess = net(torch.from_numpy(np.log1p(parts[-1][0].clip(0)))).squeeze(1)
        error = (guess - torch.from_numpy(np.log1p(parts[-1][1]))).abs().mean().item()
    print(f"last day: mean absolute error {error:.6f}")
    os.makedirs("result", exist_ok=True)
    torch.save(net.state_dict(), "result/fill_model.pt")
    with open("result/scores.json", "w") as handle:
        json.dump({"mae": error}, handle)


if __name__ == "__main__":
    main()
