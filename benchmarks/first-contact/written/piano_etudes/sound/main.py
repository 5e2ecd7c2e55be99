"""A small recurrent model learns piano etudes of different length, by a curriculum."""

import argparse
import sqlite3
import time

import numpy as np
import torch
from torch import nn

from teacher import Teacher

KEYS = 48
PIECES = {"scales": 12, "thirds": 16, "arpeggios": 24, "trills": 20, "octaves": 32, "fugato": 40}


def compose(number, length, rng):
    """Variations of one etude: a pattern, transposed and sometimes mistaken."""
    theme = np.random.default_rng([9, number]).integers(-4, 5, size=6 + number)
    steps = np.resize(theme, length)
    starts = rng.integers(0, KEYS, size=(96, 1))
    notes = (starts + np.cumsum(np.broadcast_to(steps, (96, length)), axis=1)) % KEYS
    slips = rng.random(notes.shape) < 0.05
    return np.where(slips, rng.integers(0, KEYS, notes.shape), notes)


def write_library(database, seed):
    rng = np.random.default_rng(seed)
    database.execute("create table score (piece text, variation integer, notes text)")
    for number, (piece, length) in enumerate(PIECES.items()):
        rows = [(piece, v, " ".join(map(str, line))) for v, line in enumerate(compose(number, length, rng))]
        database.executemany("insert into score values (?, ?, ?)", rows)
    database.commit()


def read_piece(database, piece):
    query = "select notes from score where piece = ? order by variation"
    return torch.tensor([[int(n) for n in text.split()] for (text,) in database.execute(query, (piece,))])


class Pianist(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.embed = nn.Embedding(KEYS, 32)
        self.memory = nn.GRU(32, width, batch_first=True)
        self.out = nn.Linear(width, KEYS)

    def forward(self, notes):
        return self.out(self.memory(self.embed(notes))[0])


def loss_of(model, notes):
    scores = model(notes[:, :-1])
    return nn.functional.cross_entropy(scores.flatten(0, 1), notes[:, 1:].flatten())


def practise(model, music, teacher, turns, batch):
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for turn in range(1, turns + 1):
        number = teacher.choose()
        began = time.perf_counter()
        notes = music[number]
        notes = notes[torch.randperm(len(notes))[:batch]]
        loss = loss_of(model, notes)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        teacher.note(number, loss.item(), notes.numel(), time.perf_counter() - began)
        if turn % 40 == 0:
            print(f"turn {turn}: {loss.item():.5f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=160)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=10)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    database = sqlite3.connect(":memory:")
    write_library(database, args.seed)
    music = [read_piece(database, piece) for piece in PIECES]
    database.close()

    model = Pianist()
    teacher = Teacher(list(PIECES), args.seed)
    practise(model, music, teacher, args.turns, args.batch)
    teacher.report()
    model.eval()
    with torch.no_grad():
        losses = [loss_of(model, notes).item() for notes in music]
    for piece, loss in zip(PIECES, losses):
        print(f"{piece:<10} {loss:.6f}")
    weights = sum(p.detach().double().sum().item() for p in model.parameters())
    print(f"mean loss {np.mean(losses):.8f}, weights {weights:.9f}")


if __name__ == "__main__":
    main()
