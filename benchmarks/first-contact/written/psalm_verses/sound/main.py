"""A character model of psalm-like verses; prints a verse of its own now and then while it learns."""
import argparse
import json
import random
import tempfile
import time
from pathlib import Path

import torch
from torch import nn

SUBJECTS = ["the hills", "the waters", "my soul", "the righteous", "the nations", "all the earth", "the young lions"]
VERBS = ["shall sing", "wait", "rejoice", "tremble", "are glad", "shall not want", "lift their voice"]
ENDS = ["in the morning", "before thee", "for ever", "in the wilderness", "upon the harp", "as in days of old"]


def write_corpus(path, verses, seed):
    rng = random.Random(seed)
    with open(path, "w") as out:
        for number in range(verses):
            text = f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(ENDS)}; {rng.choice(SUBJECTS)} {rng.choice(VERBS)}."
            out.write(json.dumps({"verse": number, "text": text}) + "\n")


class VerseModel(nn.Module):
    def __init__(self, letters, width=64):
        super().__init__()
        self.embed = nn.Embedding(letters, 24)
        self.rnn = nn.GRU(24, width, batch_first=True)
        self.drop = nn.Dropout(0.15)
        self.out = nn.Linear(width, letters)

    def forward(self, x, state=None):
        h, state = self.rnn(self.embed(x), state)
        return self.out(self.drop(h)), state


@torch.no_grad()
def compose(model, alphabet, length=40, warmth=0.8):
    model.eval()
    letter, state, text = torch.tensor([[alphabet.index("t")]]), None, "t"
    for _ in range(length):
        logits, state = model(letter, state)
        letter = torch.multinomial(torch.softmax(logits[:, -1] / warmth, -1), 1)
        text += alphabet[letter.item()]
    model.train()
    return text


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=220)
    ap.add_argument("--batch", type=int, default=16)
    ap.add_argument("--window", type=int, default=32)
    ap.add_argument("--seed", type=int, default=150)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "verses.jsonl"
        write_corpus(corpus, 400, args.seed)
        text = "\n".join(json.loads(line)["text"] for line in corpus.read_text().splitlines())
    alphabet = sorted(set(text))
    codes = torch.tensor([alphabet.index(c) for c in text])
    print(f"{len(text)} letters, alphabet of {len(alphabet)}")

    model = VerseModel(len(alphabet))
    opt = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    started = time.monotonic()
    smooth = None
    for step in range(1, args.steps + 1):
        at = torch.randint(0, len(codes) - args.window - 1, (args.batch,))
        block = torch.stack([codes[i : i + args.window + 1] for i in at.tolist()])
        logits, _ = model(block[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), block[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        smooth = loss.item() if smooth is None else 0.95 * smooth + 0.05 * loss.item()
        if step % 45 == 0:
            print(f"[{step}] {smooth:.4f} {compose(model, alphabet)!r}")
    print(f"{args.steps * args.batch / (time.monotonic() - started):.0f} windows per second")
    print(f"final loss {smooth:.9f}")
    print(f"weights {sum(p.double().pow(2).sum().item() for p in model.parameters()):.12f}")


if __name__ == "__main__":
    main()
