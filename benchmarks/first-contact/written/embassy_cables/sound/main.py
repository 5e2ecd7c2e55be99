"""Tag diplomatic cables by subject with a bag of hashed bigrams."""
import shutil
import zlib
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

from archive import Archive
from drafts import TAGS, write_cables

CONFIG = {
    "cables": 6000,
    "parcel": 100,
    "table": 4096,
    "width": 24,
    "batch": 64,
    "epochs": 4,
    "lr": 0.004,
    "seed": 1973,
}
LABELS = {tag: number for number, tag in enumerate(TAGS)}


def tokens(text):
    words = text.split()
    grams = words + [f"{a}_{b}" for a, b in zip(words, words[1:])]
    return [zlib.crc32(gram.encode()) % CONFIG["table"] for gram in grams]


def subject(record):
    """The tag that most of a cable's readers gave it."""
    votes = record["votes"]
    return max(votes, key=votes.count)


class Cables(IterableDataset):
    """Streams the parcels of one side of the split; training keeps a shuffle window."""

    def __init__(self, archive, names, window=0):
        self.archive, self.names, self.window = archive, names, window

    def __iter__(self):
        held = []
        for name in self.names:
            for record in self.archive.get(name):
                item = tokens(record["text"]), LABELS[subject(record)]
                if not self.window:
                    yield item
                    continue
                held.append(item)
                if len(held) > self.window:
                    yield held.pop(int(torch.randint(len(held), ()).item()))
        yield from held


def collate(items):
    flat = torch.tensor([token for bag, _ in items for token in bag])
    lengths = torch.tensor([0] + [len(bag) for bag, _ in items[:-1]])
    return flat, lengths.cumsum(0), torch.tensor([label for _, label in items])


class Tagger(nn.Module):
    def __init__(self, table, width, labels):
        super().__init__()
        self.bag = nn.EmbeddingBag(table, width, mode="mean")
        self.out = nn.Sequential(nn.LayerNorm(width), nn.Dropout(0.1), nn.Linear(width, labels))

    def forward(self, flat, offsets):
        return self.out(self.bag(flat, offsets))


def evaluate(model, loader):
    model.eval()
    right, seen = Counter(), Counter()
    names = list(LABELS)
    with torch.no_grad():
        for flat, offsets, labels in loader:
            guesses = model(flat, offsets).argmax(1)
            for guess, label in zip(guesses.tolist(), labels.tolist()):
                seen[names[label]] += 1
                right[names[label]] += guess == label
    return right, seen


def main():
    torch.manual_seed(CONFIG["seed"])
    shutil.rmtree("archive_files", ignore_errors=True)
    archive = Archive("archive_files")
    archive.put_all(write_cables(CONFIG["cables"], CONFIG["seed"]), CONFIG["parcel"])

    train_names = [n for n in archive.parcels() if archive.bucket(n, 5) != 0]
    test_names = [n for n in archive.parcels() if archive.bucket(n, 5) == 0]
    print(f"{len(train_names)} parcels for training, {len(test_names)} for testing")
    train_loader = DataLoader(Cables(archive, train_names, window=800), CONFIG["batch"], collate_fn=collate)
    test_loader = DataLoader(Cables(archive, test_names), 256, collate_fn=collate)

    model = Tagger(CONFIG["table"], CONFIG["width"], len(LABELS))
    optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
    for epoch in range(CONFIG["epochs"]):
        model.train()
        total, count = 0.0, 0
        for flat, offsets, labels in train_loader:
            loss = nn.functional.cross_entropy(model(flat, offsets), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total, count = total + loss.item() * len(labels), count + len(labels)
        right, seen = evaluate(model, test_loader)
        print(f"epoch {epoch}: loss {total / count:.5f}, accuracy {right.total() / seen.total():.4f}")

    for tag in LABELS:
        print(f"  {tag:9s} {right[tag]:4d} of {seen[tag]:4d}")
    torch.save(model.state_dict(), "tagger.pt")


if __name__ == "__main__":
    main()
