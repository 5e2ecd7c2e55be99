"""The flock book: animals, and which of them were penned together."""
import sqlite3
from dataclasses import dataclass

import numpy as np
import torch

BREEDS = ("herdwick", "lonk", "swaledale", "texel")


@dataclass
class Flock:
    features: torch.Tensor        # animals x features
    resistant: torch.Tensor       # 0 or 1, for each animal
    edges: torch.Tensor           # 2 x links, from and to
    names: list


def write_book(path, animals, seed):
    rng = np.random.default_rng(seed)
    link = sqlite3.connect(path)
    link.execute("create table animal (tag text primary key, breed text, weight real, age integer, resistant integer)")
    link.execute("create table penned (tag text, other text, day integer)")
    trait = rng.normal(size=animals)
    tags = [f"{BREEDS[i % 4][:2].upper()}-{rng.integers(1000, 9999)}-{i}" for i in range(animals)]
    for i, tag in enumerate(tags):
        link.execute("insert into animal values (?, ?, ?, ?, ?)",
                     (tag, BREEDS[i % 4], 55 + 8 * trait[i] + rng.normal(0, 9), int(rng.integers(1, 9)),
                      int(trait[i] + rng.normal(0, 0.4) > 0)))
    near = np.argsort(trait)
    for day in range(4):
        for place in range(animals):
            for step in rng.integers(1, 12, 2):
                a, b = near[place], near[(place + step) % animals]
                if rng.random() < 0.5:
                    a, b = b, a
                link.execute("insert into penned values (?, ?, ?)", (tags[a], tags[b], day))
    link.commit()
    link.close()


def contacts(link):
    """Pairs of animals that shared a pen, each pair once, in the order of the book."""
    rows = link.execute("select tag, other from penned order by day, rowid")
    return list(dict.fromkeys(frozenset(row) for row in rows if row[0] != row[1]))


def read_book(path):
    link = sqlite3.connect(path)
    animals = link.execute("select tag, breed, weight, age, resistant from animal order by tag").fetchall()
    index = {row[0]: i for i, row in enumerate(animals)}
    pairs = [(index[a], index[b]) for a, b in contacts(link)]
    link.close()

    one_way = torch.tensor(pairs).T
    edges = torch.cat([one_way, one_way.flip(0)], dim=1)
    breed = torch.eye(len(BREEDS))[[BREEDS.index(row[1]) for row in animals]]
    scale = torch.tensor([[(row[2] - 55) / 12, row[3] / 8] for row in animals])
    return Flock(torch.cat([breed, scale], dim=1), torch.tensor([row[4] for row in animals]),
                 edges, list(index))
