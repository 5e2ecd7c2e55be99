#!/usr/bin/env python
"""Classify entries of old ship's logs by what went wrong."""
import json
import random
from pathlib import Path

import torch
from jinja2 import Template
from sklearn.metrics import confusion_matrix, f1_score

from logbook import CAUSES, write_entries
from model import BagClassifier, run_epoch
from vocab import Vocabulary

CONFIG = {"entries": 1500, "vocab": 150, "dim": 24, "epochs": 15, "batch": 50, "seed": 1871}

PAGE = Template("""\
Causes of loss
{% for name, score in scores %}{{ "%-12s"|format(name) }} F1 {{ "%.4f"|format(score) }}
{% endfor %}
most telling words
{% for name, words in telling %}{{ "%-12s"|format(name) }} {{ words|join(", ") }}
{% endfor %}""")


def bags(entries, vocab):
    flat, offsets = [], []
    for text, _ in entries:
        offsets.append(len(flat))
        flat.extend(vocab.encode(text))
    labels = [CAUSES.index(cause) for _, cause in entries]
    return list(zip(offsets, offsets[1:] + [len(flat)])), torch.tensor(flat), torch.tensor(labels)


def telling_words(model, vocab, top=5):
    with torch.no_grad():
        scores = model.out(model.drop(model.table.weight))
    return [(cause, [vocab.words[i] for i in scores[:, c].topk(top).indices.tolist()])
            for c, cause in enumerate(CAUSES)]


def main():
    rng = random.Random(CONFIG["seed"])
    torch.manual_seed(CONFIG["seed"])

    entries = write_entries(CONFIG["entries"], rng)
    cut = int(0.75 * len(entries))
    fit, held = entries[:cut], entries[cut:]
    vocab = Vocabulary.build((text for text, _ in fit), CONFIG["vocab"])

    out = Path("out")
    out.mkdir(exist_ok=True)
    (out / "vocab.json").write_text(json.dumps(vocab.words, indent=0))

    model = BagClassifier(len(vocab.words), CONFIG["dim"], len(CAUSES))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    data = bags(fit, vocab)
    for epoch in range(CONFIG["epochs"]):
        loss = run_epoch(model, optimizer, data, CONFIG["batch"])
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1:2d}: loss {loss:.6f}")

    model.eval()
    spans, flat, labels = bags(held, vocab)
    with torch.no_grad():
        guess = model.predict(flat, torch.tensor([a for a, _ in spans])).argmax(1)
    per_class = f1_score(labels, guess, average=None, labels=range(len(CAUSES)), zero_division=0)
    print(confusion_matrix(labels, guess))
    page = PAGE.render(scores=list(zip(CAUSES, per_class)), telling=telling_words(model, vocab))
    print(page)
    (out / "report.txt").write_text(page)
    torch.save(model.state_dict(), out / "bag.pt")


if __name__ == "__main__":
    main()
