"""Route wire stories to desks; few are labelled, so a slow teacher labels the rest."""
import argparse
import copy
import hashlib
import json
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from caching import ExpiringCache

DESKS = {
    "sports": "goal match coach league striker season injury final".split(),
    "money": "shares bank rate bond profit merger market tariff".split(),
    "courts": "judge appeal verdict jury sentence trial witness lawyer".split(),
    "weather": "storm rain wind flood forecast heat snow coast".split(),
}
FILLER = "the said on monday city people year new after report two official more".split()


def write_wire(rng, stories, length=16):
    desks = list(DESKS)
    texts, labels = [], []
    for _ in range(stories):
        label = int(rng.integers(len(desks)))
        words = [str(rng.choice(DESKS[desks[label if rng.random() < 0.75 else rng.integers(4)]]))
                 if rng.random() < 0.3 else str(rng.choice(FILLER)) for _ in range(length)]
        texts.append(words)
        labels.append(label)
    return texts, labels


def load_corpus(seed, stories):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wire.pkl"
        path.write_bytes(pickle.dumps(write_wire(np.random.default_rng(seed), stories)))
        texts, labels = pickle.loads(path.read_bytes())
    vocabulary = {word: i for i, word in enumerate(sorted({word for text in texts for word in text}))}
    return torch.tensor([[vocabulary[w] for w in text] for text in texts]), torch.tensor(labels), len(vocabulary)


class Router(nn.Module):
    def __init__(self, words, desks=len(DESKS), width=32):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.mix = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, desks)

    def forward(self, stories):
        hidden, _ = self.mix(self.embed(stories))
        return self.out(hidden.mean(1))


class Teacher:
    """A running average of the student, which names desks for unlabelled stories."""

    def __init__(self, student, decay=0.9):
        self.model = copy.deepcopy(student).requires_grad_(False)
        self.decay = decay
        self.updates = 0

    @torch.no_grad()
    def follow(self, student):
        for mine, theirs in zip(self.model.parameters(), student.parameters()):
            mine.lerp_(theirs, 1 - self.decay)
        self.updates += 1

    @torch.no_grad()
    def label(self, stories):
        return torch.softmax(self.model(stories) / 0.7, -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--stories", type=int, default=900)
    parser.add_argument("--labelled", type=int, default=96)
    parser.add_argument("--epochs", type=int, default=7)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)

    stories, labels, words = load_corpus(args.seed, args.stories)
    known, test = slice(0, args.labelled), slice(-200, None)
    pool = stories[args.labelled:-200].split(32)
    student = Router(words)
    teacher = Teacher(student)
    optimizer = torch.optim.AdamW(student.parameters(), lr=4e-3)
    cache = ExpiringCache(lifetime=45, clock=lambda: teacher.updates)

    begun = time.perf_counter()
    for epoch in range(args.epochs):
        total = 0.0
        for index in torch.randperm(len(pool)).tolist():
            rows = torch.randint(args.labelled, (24,))
            target = cache.get(index, lambda: teacher.label(pool[index]))
            loss = nn.functional.cross_entropy(student(stories[known][rows]), labels[known][rows])
            loss = loss + min(1.0, epoch / 4) * nn.functional.cross_entropy(student(pool[index]), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            teacher.follow(student)
            total += loss.item()
        print(json.dumps({"epoch": epoch, "loss": round(total / len(pool), 6)}))
    print(f"{time.perf_counter() - begun:.2f} s of training")

    with torch.no_grad():
        scores = teacher.model(stories[test])
    accuracy = (scores.argmax(1) == labels[test]).float().mean().item()
    digest = hashlib.md5(b"".join(p.numpy().tobytes() for p in teacher.model.parameters())).hexdigest()
    print(f"accuracy {accuracy:.4f} teacher {digest}")


if __name__ == "__main__":
    main()
