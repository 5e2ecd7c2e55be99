"""Learns which utterances of a trial the jury asked to have read back."""
import argparse
import csv
import hashlib
import json
import random
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import f1_score, roc_auc_score
from torch import nn
from torch.utils.data import DataLoader

import features

SPEAKERS = ["judge", "prosecution", "defence", "witness", "expert", "clerk"]
PLAIN = """morning table question record court street paper evening meeting letter office account
corner neighbour car door window recall believe perhaps exactly describe please continue objection
sustained overruled exhibit photograph statement""".split()
TELLING = "blood knife contract signature alibi insurance threat weapon ledger fingerprint".split()
FILLER = "the a of to and in that was is it".split()


def write_transcript(path, count, seed):
    rng = random.Random(seed)
    with open(path, "w", newline="") as handle:
        out = csv.writer(handle)
        out.writerow(["speaker", "text", "read_back"])
        for _ in range(count):
            speaker = rng.choice(SPEAKERS)
            wanted = rng.random() < 0.35
            words = [rng.choice(PLAIN if rng.random() < 0.7 else FILLER) for _ in range(rng.randint(8, 24))]
            if wanted or rng.random() < 0.15:
                for _ in range(rng.randint(1, 3)):
                    words.insert(rng.randrange(len(words)), rng.choice(TELLING))
            if speaker == "expert" and rng.random() < 0.3:
                wanted = True
            out.writerow([speaker, " ".join(words), int(wanted)])


def read_transcript(path):
    with open(path, newline="") as handle:
        return [(r["speaker"], r["text"], int(r["read_back"])) for r in csv.DictReader(handle)]


def collate(batch):
    flat, offsets = [], []
    for codes, _ in batch:
        offsets.append(len(flat))
        flat.extend(codes)
    labels = torch.tensor([label for _, label in batch], dtype=torch.float32)
    return torch.tensor(flat), torch.tensor(offsets), labels


class Reader(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.bag = nn.EmbeddingBag(features.DIM, width, mode="mean")
        self.head = nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Dropout(0.2), nn.Linear(32, 1))

    def forward(self, flat, offsets):
        return self.head(self.bag(flat, offsets)).squeeze(1)


def evaluate(model, rows):
    model.eval()
    with torch.no_grad():
        flat, offsets, labels = collate(rows)
        scores = torch.sigmoid(model(flat, offsets))
    model.train()
    return {
        "auc": float(roc_auc_score(labels.numpy(), scores.numpy())),
        "f1": float(f1_score(labels.numpy(), scores.numpy() > 0.5)),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--utterances", type=int, default=2600)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="jury-") as folder:
        path = Path(folder) / "transcript.csv"
        write_transcript(path, args.utterances, args.seed)
        rows = read_transcript(path)
        started = time.perf_counter()
        with ProcessPoolExecutor(max_workers=2) as pool:
            encoded = list(pool.map(features.encode, rows, chunksize=250))
        print(f"encoded {len(encoded)} utterances in {time.perf_counter() - started:.2f} s")

        cut = int(0.8 * len(encoded))
        train, held_out = encoded[:cut], encoded[cut:]
        loader = DataLoader(
            train, batch_size=64, shuffle=True, collate_fn=collate,
            generator=torch.Generator().manual_seed(args.seed),
        )
        model = Reader()
        optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-3)
        history = []
        for epoch in range(args.epochs):
            total = 0.0
            for flat, offsets, labels in loader:
                loss = nn.functional.binary_cross_entropy_with_logits(model(flat, offsets), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(labels)
            history.append({"epoch": epoch, "loss": total / len(train), **evaluate(model, held_out)})
            print(json.dumps(history[-1]))
        (Path(folder) / "history.json").write_text(json.dumps(history))
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters()))
    print("weights", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()
