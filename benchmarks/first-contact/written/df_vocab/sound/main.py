"""Language model on byte pairs, trained on groups of equal length."""
import datetime
import random
import time

import torch
from torch import nn

from pipeline.bpe import BytePairs
from pipeline.data import by_length, sentences


class Model(nn.Module):
    def __init__(self, symbols, width=40):
        super().__init__()
        self.embed = nn.Embedding(symbols, width)
        self.rnn = nn.LSTM(width, width, batch_first=True)
        self.drop = nn.Dropout(0.1)

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.drop(h) @ self.embed.weight.t()


def main():
    print("started", datetime.datetime.now())
    random.seed(1)
    torch.manual_seed(1)
    texts = sentences(700, seed=2)
    characters = set("".join(texts))
    bpe = BytePairs().fit(texts)
    print(f"{len(texts)} sentences, {len(characters)} characters, {len(bpe.vocabulary)} symbols")
    groups = by_length([bpe.encode(t) for t in texts])
    model = Model(len(bpe.vocabulary) + 1)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    clock = time.time()
    for epoch in range(2):
        batches = [g[k:k + 25] for g in groups for k in range(0, len(g), 25)]
        random.shuffle(batches)
        total = 0.0
        for batch in batches:
            ids = torch.tensor([[0] + row for row in batch])
            logits = model(ids[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item() * len(batch)
        print(f"epoch {epoch}: {total / len(texts):.4f} after {time.time() - clock:.1f} s")
    with open("merges.txt", "w") as f:
        f.writelines(f"{a} {b}\n" for a, b in bpe.merges)
    torch.save(model.state_dict(), "lm.pt")
    print("final loss", total / len(texts))


if __name__ == "__main__":
    main()
