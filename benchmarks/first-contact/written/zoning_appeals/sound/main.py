"""Predicts whether a zoning appeal is granted, from its summary; the summaries are staged in SQLite."""
import argparse
import logging
import os
import random
import sqlite3
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, RandomSampler

log = logging.getLogger("appeals")

SUBJECTS = ["garage", "fence", "dormer", "signboard", "driveway", "greenhouse", "porch", "antenna", "terrace", "stable"]
REASONS = ["setback", "height", "parking", "drainage", "heritage", "noise", "coverage", "frontage", "shade", "access"]
MOODS = ["neighbours object", "neighbours agree", "no comments", "petition filed", "minor breach", "major breach"]
LEANING = {"neighbours object": -1.0, "neighbours agree": 1.2, "petition filed": -0.8, "minor breach": 0.9,
           "major breach": -1.3, "heritage": -0.7, "shade": 0.4, "porch": 0.5, "antenna": -0.5}


def staging_path():
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = base / "zoning-appeals"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "staging.sqlite"


def write_appeals(rng, count):
    for docket in range(count):
        words = rng.sample(SUBJECTS, 1) + rng.sample(REASONS, 3)
        mood = rng.choice(MOODS)
        leaning = sum(LEANING.get(w, 0.0) for w in words) + LEANING.get(mood, 0.0)
        rng.shuffle(words)
        yield docket, f"{' '.join(words)} {mood}", int(leaning + rng.gauss(0, 0.6) > 0)


def stage(connection, rows):
    with connection:
        connection.execute("DROP TABLE IF EXISTS appeals")
        connection.execute("CREATE TABLE appeals (docket INTEGER, summary TEXT, granted INTEGER)")
        connection.executemany("INSERT INTO appeals VALUES (?, ?, ?)", rows)
        connection.execute("CREATE INDEX IF NOT EXISTS by_docket ON appeals (docket)")


class Appeals(Dataset):
    def __init__(self, connection, where, vocabulary=None, length=6):
        query = f"SELECT summary, granted FROM appeals WHERE {where} ORDER BY docket, rowid"
        self.rows = connection.execute(query).fetchall()
        self.length = length
        self.vocabulary = vocabulary or self.learn_vocabulary()

    def learn_vocabulary(self):
        counts = Counter(word for summary, _ in self.rows for word in summary.split())
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return {word: number for number, word in enumerate(ranked, start=1)}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        summary, granted = self.rows[index]
        ids = [self.vocabulary.get(word, 0) for word in summary.split()][: self.length]
        ids += [0] * (self.length - len(ids))
        return torch.tensor(ids), torch.tensor(float(granted))


class Reader(nn.Module):
    def __init__(self, words, size=24):
        super().__init__()
        self.embed = nn.Embedding(words + 1, size, padding_idx=0)
        self.gru = nn.GRU(size, size, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(size, 1)

    def forward(self, ids):
        states, _ = self.gru(self.embed(ids))
        return self.head(self.drop(states.mean(1))).squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--appeals", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--draws", type=int, default=768)
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    torch.manual_seed(args.seed)

    with closing(sqlite3.connect(staging_path())) as connection:
        stage(connection, write_appeals(random.Random(args.seed), args.appeals))
        train = Appeals(connection, "docket % 5 > 0")
        valid = Appeals(connection, "docket % 5 = 0", train.vocabulary)
    log.info("staged in %s", staging_path())

    shuffle = torch.Generator().manual_seed(args.seed)
    sampler = RandomSampler(train, num_samples=args.draws, generator=shuffle)
    loader = DataLoader(train, batch_size=16, sampler=sampler, generator=shuffle)
    model = Reader(len(train.vocabulary))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for epoch in range(args.epochs):
        model.train()
        started, total = time.perf_counter(), 0.0
        for ids, granted in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(ids), granted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            hits = sum(((model(i) > 0) == (g > 0)).sum().item() for i, g in DataLoader(valid, batch_size=64))
        log.info("epoch %d took %.2f s", epoch, time.perf_counter() - started)
        print(f"epoch {epoch}: loss {total / len(loader):.6f} accuracy {hits / len(valid):.3f}")

    checksum = sum(p.double().abs().sum().item() for p in model.parameters())
    print(f"weights {checksum:.9f}")


if __name__ == "__main__":
    main()
