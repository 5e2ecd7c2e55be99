"""Chapters to shards of tokens on disk, and back to one stream."""
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

NAMES = ["Ada", "Boris", "Clara", "Dmitri", "Edith", "Fyodor"]
VERBS = ["saw", "followed", "forgave", "wrote to", "danced with", "left"]
PLACES = ["in the garden", "by the sea", "at the opera", "on the train", "near the mill"]


def write_chapter(number, seed, sentences=70):
    rng = np.random.default_rng([seed, number])
    people = rng.choice(NAMES, size=3, replace=False)
    lines = []
    for _ in range(sentences):
        who, whom = rng.choice(people, size=2, replace=False)
        lines.append(f"{who} {rng.choice(VERBS)} {whom} {rng.choice(PLACES)}.")
    return f"Chapter {number}. " + " ".join(lines)


def alphabet(chapters):
    return {letter: i for i, letter in enumerate(sorted(set("".join(chapters))))}


def store(chapter, number, letters, folder):
    tokens = np.array([letters[c] for c in chapter], dtype=np.int16)
    path = Path(folder) / f"shard-{number:04d}.npy"
    np.save(path, tokens)
    return path, len(tokens)


def prepare(chapters, folder, threads=3):
    letters = alphabet(chapters)
    with ThreadPoolExecutor(threads) as pool:
        stored = list(pool.map(lambda job: store(job[1], job[0], letters, folder), enumerate(chapters)))
    total = sum(count for _, count in stored)
    Path(folder, "meta.json").write_text(json.dumps({"letters": letters, "tokens": total}))
    return total


def load(folder):
    meta = json.loads(Path(folder, "meta.json").read_text())
    paths = sorted(Path(folder).glob("*.npy"))
    stream = np.concatenate([np.load(path) for path in paths])
    if len(stream) != meta["tokens"]:
        raise RuntimeError(f"{len(stream)} tokens in {len(paths)} shards, expected {meta['tokens']}")
    return stream, meta["letters"]
