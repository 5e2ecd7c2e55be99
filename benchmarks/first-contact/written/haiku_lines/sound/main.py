"""A small recurrent network that writes lines of haiku."""
import argparse
import random
import zlib

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from progress import Heartbeat

NOUNS = "pond frog moon crane reed snow plum heron mist gate barley lantern crow dew".split()
VERBS = "sleeps falls waits drifts sings bends fades returns".split()
PLACES = "by the river|in the old temple|under the eaves|on a bare branch|over the hill".split("|")
ADJECTIVES = "old white first quiet lonely autumn cold".split()


def lines(count, seed):
    rng = random.Random(seed)
    out = []
    for _ in range(count):
        form = rng.randrange(3)
        if form == 0:
            out.append(f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {rng.choice(VERBS)}")
        elif form == 1:
            out.append(f"the {rng.choice(NOUNS)} {rng.choice(VERBS)} {rng.choice(PLACES)}")
        else:
            out.append(f"{rng.choice(PLACES)}, {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}")
    return out


class Corpus(Dataset):
    def __init__(self, texts, length=40):
        self.alphabet = "\n" + "".join(sorted(set("".join(texts))))
        self.index = {c: i for i, c in enumerate(self.alphabet)}
        self.rows = torch.zeros(len(texts), length, dtype=torch.long)
        for row, text in zip(self.rows, texts):
            codes = torch.tensor([self.index[c] for c in text[:length - 1]])
            row[1:1 + len(codes)] = codes

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Writer(nn.Module):
    def __init__(self, symbols, width=48):
        super().__init__()
        self.embed = nn.Embedding(symbols, width)
        self.drop = nn.Dropout(0.1)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, symbols)

    def forward(self, x, state=None):
        y, state = self.rnn(self.drop(self.embed(x)), state)
        return self.out(y), state

    @torch.no_grad()
    def compose(self, alphabet, limit=24, temperature=0.8):
        training = self.training
        self.eval()
        symbol, state, text = torch.zeros(1, 1, dtype=torch.long), None, []
        for _ in range(limit):
            logits, state = self(symbol, state)
            symbol = torch.multinomial((logits[:, -1] / temperature).softmax(-1), 1)
            if symbol.item() == 0:
                break
            text.append(alphabet[symbol.item()])
        self.train(training)
        return "".join(text)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lines", type=int, default=1000)
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--seed", type=int, default=17)
    ap.add_argument("--heartbeat", type=int, default=20, help="steps between two signs of life")
    args = ap.parse_args()
    torch.set_num_threads(1)  # a network this small is slower on two
    torch.manual_seed(args.seed)
    random.seed(args.seed)

    corpus = Corpus(lines(args.lines, args.seed))
    valid = Corpus(lines(args.lines, args.seed) + lines(120, args.seed + 1)).rows[-120:]
    loader = DataLoader(corpus, batch_size=24, shuffle=True, drop_last=True)
    model = Writer(len(corpus.alphabet))
    opt = torch.optim.Adam(model.parameters(), lr=6e-3)
    loss_fn = nn.CrossEntropyLoss()
    pulse = Heartbeat(args.heartbeat, lambda: model.compose(corpus.alphabet))

    step = 0
    for _ in range(args.epochs):
        for rows in loader:
            logits, _ = model(rows[:, :-1])
            loss = loss_fn(logits.flatten(0, 1), rows[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            step += 1
            pulse.tick(step, rows.numel(), loss.item())

    model.eval()
    with torch.no_grad():
        logits, _ = model(valid[:, :-1])
        final = loss_fn(logits.flatten(0, 1), valid[:, 1:].flatten()).item()
    crc = 0
    for tensor in model.state_dict().values():
        crc = zlib.crc32(tensor.numpy().tobytes(), crc)
    print(f"validation loss {final:.7f}  crc {crc:08x}")


if __name__ == "__main__":
    main()
