"""Topics of parliamentary speeches: a convolutional teacher, and a bag-of-words student distilled from it."""
import json
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from snapshot import pack
from speeches import TOPICS, read_sittings, write_sittings

LENGTH = 44
SEED = 4


class Teacher(nn.Module):
    def __init__(self, words, dim=48):
        super().__init__()
        self.embed = nn.Embedding(words, dim, padding_idx=0)
        self.narrow = nn.Conv1d(dim, 64, 3, padding=1)
        self.wide = nn.Conv1d(dim, 64, 5, padding=2)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(256, len(TOPICS))

    def forward(self, ids):
        x = self.embed(ids).transpose(1, 2)
        maps = torch.cat([F.relu(self.narrow(x)), F.relu(self.wide(x))], 1)
        return self.out(self.drop(torch.cat([maps.amax(2), maps.mean(2)], 1)))


class Student(nn.Module):
    def __init__(self, words, dim=12):
        super().__init__()
        self.embed = nn.EmbeddingBag(words, dim, mode="mean", padding_idx=0)
        self.out = nn.Linear(dim, len(TOPICS))

    def forward(self, ids):
        return self.out(self.embed(ids))


def encode(rows):
    """Ids of words by alphabet; the texts are split by a few threads."""
    with ThreadPoolExecutor(2) as pool:
        split = list(pool.map(str.split, [text for _, text in rows]))
    known = set()
    for words in split:
        known |= set(words)
    number = {word: place for place, word in enumerate(sorted(known), 1)}
    ids = torch.zeros(len(rows), LENGTH, dtype=torch.long)
    for row, words in enumerate(split):
        found = [number[w] for w in words[:LENGTH]]
        ids[row, :len(found)] = torch.tensor(found)
    return ids, torch.tensor([topic for topic, _ in rows]), len(number) + 1


def split_rows(count, version, held_out=0.2):
    """Test rows are drawn anew for each version of the corpus, and only then."""
    order = list(range(count))
    random.Random(version).shuffle(order)
    cut = int(count * held_out)
    return torch.tensor(order[cut:]), torch.tensor(order[:cut])


def fit(model, ids, epochs, lr, loss_of):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    model.train()
    for epoch in range(epochs):
        total = 0.0
        for picked in torch.randperm(len(ids)).split(50):
            loss = loss_of(model(ids[picked]), picked)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(picked)
        if epoch % 4 == 3:
            print(f"  {type(model).__name__.lower()} {epoch + 1:2d} {total / len(ids):.6f}")
    return model.eval()


@torch.no_grad()
def accuracy(model, ids, topics):
    return (model(ids).argmax(1) == topics).float().mean().item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hansard-") as folder:
        folder = Path(folder)
        write_sittings(folder)
        version = pack(folder, Path("snapshots"))
        ids, topics, words = encode(read_sittings(folder))
    print(f"{time.ctime()}: {len(ids)} speeches, {words} words, from {folder}")

    train, test = split_rows(len(ids), version)
    x, y = ids[train], topics[train]
    teacher = fit(Teacher(words), x, 8, 2e-3, lambda out, picked: F.cross_entropy(out, y[picked]))
    with torch.no_grad():
        soft = F.softmax(teacher(x) / 2.0, dim=1)

    def distil(out, picked):
        hard = F.cross_entropy(out, y[picked])
        return 0.3 * hard + 0.7 * 4.0 * F.kl_div(F.log_softmax(out / 2.0, 1), soft[picked], reduction="batchmean")

    student = fit(Student(words), x, 16, 2e-2, distil)
    scores = {"teacher": accuracy(teacher, ids[test], topics[test]), "student": accuracy(student, ids[test], topics[test])}
    print(f"teacher {scores['teacher']:.4f}  student {scores['student']:.4f}  ({time.monotonic() - began:.1f} s)")
    torch.save(student.state_dict(), "student.pt")
    Path("scores.json").write_text(json.dumps(scores))


if __name__ == "__main__":
    main()
