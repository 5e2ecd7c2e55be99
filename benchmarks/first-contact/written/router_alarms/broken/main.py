"""Which team should see an alarm of a router? Validation runs beside training, in a thread."""
import argparse
import random
import time
import zlib
from collections import Counter

import torch
import torch.nn.functional as F
from torch import nn

from judge import Judge

TEAMS = ("optics", "routing", "power", "security")
WORDS = {"optics": "laser bias sfp rx loss fiber dbm lane", "routing": "bgp peer flap ospf prefix hold lsp mpls",
         "power": "psu fan volt rail feed thermal trip amps", "security": "acl ssh login deny flood key tacacs scan"}
NOISE = "interface slot port state changed down up warning notice alarm cleared on chassis unit at".split()


def alarms(count: int, rng: random.Random):
    lines = []
    for _ in range(count):
        team = rng.randrange(len(TEAMS))
        other = rng.randrange(len(TEAMS))
        words = (rng.choices(WORDS[TEAMS[team]].split(), k=3) + rng.choices(WORDS[TEAMS[other]].split(), k=2)
                 + rng.choices(NOISE, k=9))
        rng.shuffle(words)
        lines.append((" ".join(words), team))
    return lines


def vocabulary(lines, size: int = 60) -> dict[str, int]:
    counts = Counter(word for text, _ in lines for word in text.split())
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: index + 1 for index, word in enumerate(ranked[:size])}


def encode(lines, vocab):
    ids = torch.tensor([[vocab.get(word, 0) for word in text.split()] for text, _ in lines])
    return ids, torch.tensor([team for _, team in lines])


class Classifier(nn.Module):
    def __init__(self, words: int, width: int = 24):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(width, len(TEAMS)))

    def forward(self, ids):
        out, _ = self.rnn(self.embed(ids))
        return self.head(out.mean(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--lr", type=float, default=6e-3)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = random.Random(args.seed)

    lines, held = alarms(1200, rng), alarms(800, rng)
    vocab = vocabulary(lines)
    ids, teams = encode(lines, vocab)
    model = Classifier(len(vocab) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    judge = Judge(model, *encode(held, vocab))
    first = None
    for epoch in range(args.epochs):
        started = time.perf_counter()
        total = 0.0
        model.train()
        for rows in torch.randperm(len(ids)).split(50):
            loss = F.cross_entropy(model(ids[rows]), teams[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        print(f"epoch {epoch}: training loss {total / len(ids):.6f} ({time.perf_counter() - started:.2f} s)")
        if epoch > 0:
            loss = judge.result()
            first = first or loss
            print(f"         validation loss one epoch ago {loss:.6f}")
            for group in optimizer.param_groups:      # slower as the loss falls
                group["lr"] = args.lr * max(0.1, min(1.0, loss / first))
        judge.submit(model)
    final = judge.result()
    judge.close()
    weights = b"".join(value.numpy().tobytes() for value in model.state_dict().values())
    print(f"validation loss {final:.8f}  weights {zlib.crc32(weights):08x}")


if __name__ == "__main__":
    main()
