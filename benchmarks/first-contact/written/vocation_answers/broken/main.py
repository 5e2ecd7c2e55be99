# Occupation coding, waves 1-4. Was occupation_coding_v3.ipynb.
import json
import os
from datetime import date

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import f1_score

from answers import collect, in_holdout
from text import build_vocab, encode, tokenize

SEED = 11
np.random.seed(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)

# %% data
df = collect(4500, SEED)
labels = sorted(df["group"].unique())
df["y"] = df["group"].map({g: i for i, g in enumerate(labels)})
holdout = df["respondent"].map(in_holdout)
train, test = df[~holdout], df[holdout]
print(date.today(), "-", len(train), "answers to train on,", len(test), "held out")
print(train.groupby("wave")["y"].count().to_dict())

# %% vocabulary
vocab = build_vocab(train["answer"])
seen = {w for a in train["answer"] for w in tokenize(a)}
new = {w for a in test["answer"] for w in tokenize(a)} - seen
print(f"{len(vocab)} words, {len(new)} in the holdout never seen in training")

X = encode(train["answer"].tolist(), vocab)
Y = torch.tensor(train["y"].to_numpy())
X_test = encode(test["answer"].tolist(), vocab)
Y_test = torch.tensor(test["y"].to_numpy())


# %% model
class Coder(nn.Module):
    def __init__(self, n_words, n_out, dim=40, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(n_words, dim, padding_idx=0)
        self.drop = nn.Dropout(0.3)
        self.gru = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, n_out)

    def forward(self, ids):
        h, _ = self.gru(self.drop(self.emb(ids)))
        h = h.masked_fill((ids == 0).unsqueeze(-1), -1e4)
        return self.out(self.drop(h.max(dim=1).values))


model = Coder(len(vocab), len(labels))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
weight = 1.0 / torch.bincount(Y).float()
loss_fn = nn.CrossEntropyLoss(weight=weight / weight.mean())

# %% train
log = []
for epoch in range(5):
    model.train()
    perm = torch.randperm(len(X))
    running = 0.0
    for i in range(0, len(X), 128):
        b = perm[i:i + 128]
        word_drop = (torch.rand(len(b), X.shape[1]) < 0.05) & (X[b] != 0)
        loss = loss_fn(model(X[b].masked_fill(word_drop, 1)), Y[b])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        running += loss.item() * len(b)
    model.eval()
    with torch.no_grad():
        pred = model(X_test).argmax(1)
    acc = (pred == Y_test).float().mean().item()
    f1 = f1_score(Y_test.numpy(), pred.numpy(), average="macro")
    log.append({"epoch": epoch, "loss": running / len(X), "acc": acc, "macro_f1": float(f1)})
    print(f"epoch {epoch}: loss {running / len(X):.4f}  acc {acc:.3f}  macro f1 {f1:.3f}")

# %% keep
os.makedirs("out", exist_ok=True)
torch.save(model.state_dict(), "out/coder.pt")
json.dump(log, open("out/log.json", "w"), indent=1)
json.dump({"words": vocab, "labels": labels}, open("out/vocab.json", "w"))
per_group = {g: int((pred[Y_test == i] == i).sum()) for i, g in enumerate(labels)}
print("right per group:", per_group)
