"""GRU language model on a small template corpus; samples a few sentences at the end."""
import json
import math
import random
import sys

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from tokenizer import WordTokenizer

torch.manual_seed(1234)
random.seed(1234)

SUBJECTS = "the cat,a dog,my neighbour,the old sailor,our teacher,a small robot,the queen".split(",")
VERBS = "sees,follows,paints,forgets,carries,hears,loves,draws".split(",")
OBJECTS = "the moon,a red boat,two apples,an empty house,the river,a song,the long road".split(",")
TAILS = ["at night .", "in the rain !", ", as always .", ".", "again and again .", "without a word ?"]


def make_corpus(n):
    return [" ".join(random.choice(part) for part in (SUBJECTS, VERBS, OBJECTS, TAILS)) for _ in range(n)]


class GRULM(nn.Module):
    def __init__(self, vocab, dim=48, hidden=96):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, h=None):
        y, h = self.rnn(self.drop(self.emb(x)), h)
        return self.out(self.drop(y)), h

    @torch.no_grad()
    def sample(self, bos, eos, max_len=16, temperature=0.8):
        self.eval()
        x, h, out = torch.tensor([[bos]]), None, []
        for _ in range(max_len):
            logits, h = self(x, h)
            probs = torch.softmax(logits[0, -1] / temperature, -1)
            nxt = torch.multinomial(probs, 1).item()
            if nxt == eos:
                break
            out.append(nxt)
            x = torch.tensor([[nxt]])
        return out


def batches(seqs, size):
    order = torch.randperm(len(seqs)).tolist()
    for i in range(0, len(order), size):
        yield pad_sequence([seqs[j] for j in order[i:i + size]], batch_first=True)


def main():
    train, valid = make_corpus(700), make_corpus(150)
    tok = WordTokenizer(min_count=2).fit(train)
    print("vocabulary:", len(tok))
    train = [torch.tensor(tok.encode(s)) for s in train]
    valid = [torch.tensor(tok.encode(s)) for s in valid]

    model = GRULM(len(tok))
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    loss_fn = nn.CrossEntropyLoss(ignore_index=0)
    history = []
    for epoch in range(5):
        model.train()
        for n, x in enumerate(batches(train, 32)):
            logits, _ = model(x[:, :-1])
            loss = loss_fn(logits.flatten(0, 1), x[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sys.stderr.write(f"\repoch {epoch} batch {n}")
        model.eval()
        with torch.no_grad():
            x = pad_sequence(valid, batch_first=True)
            ppl = math.exp(loss_fn(model(x[:, :-1])[0].flatten(0, 1), x[:, 1:].flatten()).item())
        history.append({"epoch": epoch, "train_loss": loss.item(), "valid_ppl": ppl})
        print(f"\nepoch {epoch} train {loss.item():.5f} valid ppl {ppl:.5f}")
    for _ in range(4):
        print(">", tok.decode(model.sample(tok.stoi["<bos>"], tok.stoi["<eos>"])))
    with open("history.json", "w") as f:
        json.dump(history, f, indent=2)


if __name__ == "__main__":
    main()
