"""Sort warranty claims by cause."""

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

import torch
from torch.nn import functional as F

from classifier import BagClassifier, Vocabulary
from corpus import SYMPTOMS, export_claims
from splits import split

HERE = Path(__file__).resolve().parent
CAUSES = sorted(SYMPTOMS)


def read(paths):
    texts, labels = [], []
    for path in paths:
        cause, text = path.read_text().splitlines()
        texts.append(text)
        labels.append(CAUSES.index(cause))
    return texts, torch.tensor(labels)


@torch.no_grad()
def accuracy(model, vocabulary, texts, labels):
    model.eval()
    predicted = model(*vocabulary.encode(texts)).argmax(dim=1)
    model.train()
    return (predicted == labels).float().mean().item()


def train(model, vocabulary, parts, options):
    texts, labels = parts["train"]
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", patience=1)
    shuffler = random.Random(options.seed)
    log = []
    for epoch in range(options.epochs):
        order = list(range(len(texts)))
        shuffler.shuffle(order)
        for start in range(0, len(order), options.batch_size):
            rows = order[start:start + options.batch_size]
            logits = model(*vocabulary.encode([texts[row] for row in rows]))
            loss = F.cross_entropy(logits, labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score = accuracy(model, vocabulary, *parts["valid"])
        schedule.step(score)
        log.append({"epoch": epoch, "valid_accuracy": score})
        print(f"epoch {epoch:2d}  valid accuracy {score:.4f}")
    return log


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--claims", type=int, default=900)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=5e-3)
    options = parser.parse_args()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)

    began = time.time()
    with tempfile.TemporaryDirectory(prefix="claims-") as folder:
        export_claims(Path(folder), options.claims, seed=options.seed)
        paths = sorted(Path(folder).glob("claim_*.txt"))
        parts = {name: read(members) for name, members in split(paths).items()}
    print(f"exported {len(paths)} claims to {folder} and read them in {time.time() - began:.2f} s")

    vocabulary = Vocabulary(parts["train"][0])
    model = BagClassifier(vocabulary, len(CAUSES))
    log = train(model, vocabulary, parts, options)

    torch.save({"weights": model.state_dict(), "words": vocabulary.index}, HERE / "claims.pt")
    result = {
        "finished": time.strftime("%Y-%m-%d %H:%M:%S"),
        "sizes": {name: len(labels) for name, (_, labels) in parts.items()},
        "test_accuracy": accuracy(model, vocabulary, *parts["test"]),
        "log": log,
    }
    (HERE / "result.json").write_text(json.dumps(result, indent=2))
    print(f"test accuracy {result['test_accuracy']:.4f}")


if __name__ == "__main__":
    main()
