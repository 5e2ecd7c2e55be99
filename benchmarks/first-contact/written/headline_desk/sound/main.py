# Routes headlines to desks with a small transformer.
# Usage: python main.py

import collections
import datetime
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

import numpy as np
import torch
from sklearn.metrics import classification_report, f1_score
from torch.utils.data import DataLoader, TensorDataset
from transformers import DistilBertConfig, DistilBertForSequenceClassification, get_linear_schedule_with_warmup, set_seed

from newswire import DESKS, wire

SEED = 1848
HEADLINES = 2600
HELD_OUT = 500
MAX_LENGTH = 16
EPOCHS = 3
HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "out"
OUT.mkdir(exist_ok=True)

os.environ["TOKENIZERS_PARALLELISM"] = "false"
torch.set_num_threads(1)
set_seed(SEED)
t0 = time.time()
stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
print(f"[{stamp}] pid {os.getpid()}, torch {torch.__version__}")


def shell(*command, cwd):
    """Runs one step of the corpus pipeline; the tools must not depend on the user's locale."""
    environment = dict(os.environ, LC_ALL="C")
    return subprocess.run(command, cwd=cwd, env=environment, check=True, capture_output=True, text=True).stdout


def prepare(folder):
    """Writes the wire to a file and cleans it with the usual tools: no duplicates, no tiny lines, two splits."""
    folder = pathlib.Path(folder)
    with open(folder / "wire.tsv", "w") as f:
        for desk, text in wire(HEADLINES, SEED):
            f.write(f"{desk}\t{text}\n")
    shell("sort", "-u", "-o", "unique.tsv", "wire.tsv", cwd=folder)
    lines = shell("grep", "-E", "(\\S+ ){3,}", "unique.tsv", cwd=folder)
    (folder / "clean.tsv").write_text(lines)
    (folder / "noise.bin").write_bytes(random.Random(SEED).randbytes(1 << 18))
    shell("shuf", "--random-source=noise.bin", "-o", "mixed.tsv", "clean.tsv", cwd=folder)
    (folder / "test.tsv").write_text(shell("head", "-n", str(HELD_OUT), "mixed.tsv", cwd=folder))
    (folder / "train.tsv").write_text(shell("tail", "-n", f"+{HELD_OUT + 1}", "mixed.tsv", cwd=folder))
    for name in ("wire", "unique", "clean", "train", "test"):
        print(f"{name:>8}: {shell('wc', '-l', f'{name}.tsv', cwd=folder).split()[0]} lines")
    return read(folder / "train.tsv"), read(folder / "test.tsv")


def read(path):
    pairs = [line.split("\t") for line in path.read_text().splitlines()]
    return [p[0] for p in pairs], [p[1].split() for p in pairs]


with tempfile.TemporaryDirectory(prefix="newswire-") as scratch:
    (train_desks, train_words), (test_desks, test_words) = prepare(scratch)
print(f"corpus ready after {time.time() - t0:.2f} s")

# Vocabulary: words seen at least twice, most frequent first, ties in alphabetical order.
counts = collections.Counter(word for words in train_words for word in words)
kept = sorted((w for w, c in counts.items() if c >= 2), key=lambda w: (-counts[w], w))
ids = {w: i for i, w in enumerate(["[PAD]", "[CLS]", "[UNK]"] + kept)}
unknown = {w for words in test_words for w in words} - set(ids)
print(f"{len(ids)} words; unknown in the test split: {', '.join(sorted(unknown)[:5])} ...")

labels = {desk: i for i, desk in enumerate(sorted(set(train_desks)))}
assert len(labels) == len(DESKS)


def encode(desks, texts):
    tokens = torch.zeros(len(texts), MAX_LENGTH, dtype=torch.long)
    for row, words in enumerate(texts):
        row_ids = [ids["[CLS]"]] + [ids.get(w, ids["[UNK]"]) for w in words][: MAX_LENGTH - 1]
        tokens[row, : len(row_ids)] = torch.tensor(row_ids)
    return TensorDataset(tokens, tokens.ne(0).long(), torch.tensor([labels[d] for d in desks]))


train = DataLoader(encode(train_desks, train_words), batch_size=48, shuffle=True)
test = DataLoader(encode(test_desks, test_words), batch_size=200)

config = DistilBertConfig(
    vocab_size=len(ids),
    dim=64,
    hidden_dim=128,
    n_layers=2,
    n_heads=4,
    max_position_embeddings=MAX_LENGTH,
    num_labels=len(labels),
    pad_token_id=0,
)
model = DistilBertForSequenceClassification(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-3, weight_decay=0.01)
scheduler = get_linear_schedule_with_warmup(optimizer, 20, EPOCHS * len(train))


def mask_words(tokens, share=0.06):
    """Word dropout: some words become unknown."""
    chosen = torch.from_numpy(np.random.random(tokens.shape) < share) & tokens.gt(2)
    return tokens.masked_fill(chosen, ids["[UNK]"])


@torch.no_grad()
def predict():
    model.eval()
    logits = [model(input_ids=t, attention_mask=m).logits for t, m, _ in test]
    return torch.cat(logits).argmax(1).tolist()


truth = [labels[d] for d in test_desks]
curve = []
for epoch in range(EPOCHS):
    model.train()
    losses = []
    for tokens, mask, target in train:
        loss = model(input_ids=mask_words(tokens), attention_mask=mask, labels=target).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    score = f1_score(truth, predict(), average="macro")
    curve.append({"epoch": epoch + 1, "loss": float(np.mean(losses)), "f1": float(score)})
    print(f"epoch {epoch + 1}: loss {curve[-1]['loss']:.6f}, macro F1 {score:.4f}, {time.time() - t0:.1f} s so far")

print(classification_report(truth, predict(), target_names=list(labels), digits=4))
torch.save({"model": model.state_dict(), "vocabulary": ids}, OUT / "desk.pt")
(OUT / "curve.json").write_text(json.dumps(curve, indent=2))
with open(OUT / "runs.txt", "a") as f:
    f.write(f"{stamp}\t{time.time() - t0:.1f} s\t{curve[-1]['f1']:.4f}\n")
