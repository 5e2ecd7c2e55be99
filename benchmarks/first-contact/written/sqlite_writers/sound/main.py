"""Hyperparameter search: a pool trains trials and reports to sqlite; the best three are ensembled."""
import multiprocessing as mp
import os
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

import torch
from torch import nn

GRID = [(width, lr) for width in (8, 16, 32) for lr in (0.003, 0.01)]


def data(seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(400, 6, generator=g)
    y = (x[:, 0] * x[:, 1] + x[:, 2].abs() > 0.7).long()
    return x, y


def make(width):
    return nn.Sequential(nn.Linear(6, width), nn.ReLU(), nn.Linear(width, 2))


def connect(path):
    db = sqlite3.connect(path, timeout=60)
    db.execute("""create table if not exists trials (number integer, width integer, lr real, loss real,
                  file text, pid integer, finished text default current_timestamp)""")
    return db


def trial(job):
    number, (width, lr), database, folder = job
    torch.set_num_threads(1)
    torch.manual_seed(500 + number)
    x, y = data(0)
    model = make(width)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(3):
        for idx in torch.randperm(300).split(20):
            opt.zero_grad()
            nn.functional.cross_entropy(model(x[idx]), y[idx]).backward()
            opt.step()
    with torch.no_grad():
        loss = nn.functional.cross_entropy(model(x[300:]), y[300:]).item()
    handle, file = tempfile.mkstemp(suffix=".pt", dir=folder)
    os.close(handle)
    torch.save(model.state_dict(), file)
    with closing(connect(database)) as db, db:
        db.execute("insert into trials (number, width, lr, loss, file, pid) values (?, ?, ?, ?, ?, ?)",
                   (number, width, lr, loss, file, os.getpid()))
    return number


def main():
    start = time.time()
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        database = str(Path(folder) / "trials.db")
        connect(database).close()
        jobs = [(n, point, database, folder) for n, point in enumerate(GRID)]
        with mp.get_context("fork").Pool(2) as pool:
            for number in pool.imap_unordered(trial, jobs):
                print(f"trial {number} is done after {time.time() - start:.1f} s")
        with closing(connect(database)) as db:
            best = db.execute("select number, width, lr, loss, file from trials order by loss, number limit 3").fetchall()
        x, y = data(1)
        votes = torch.zeros(len(x), 2)
        for number, width, lr, loss, file in best:
            model = make(width)
            model.load_state_dict(torch.load(file))
            with torch.no_grad():
                votes += model(x).softmax(1)
    torch.save(votes, "votes.pt")
    print("final ensemble", [(n, w, r, l) for n, w, r, l, _ in best],
          nn.functional.nll_loss((votes / 3).log(), y).item())


if __name__ == "__main__":
    main()
