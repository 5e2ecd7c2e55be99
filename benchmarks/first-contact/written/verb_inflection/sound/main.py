"""Trains the inflection model of one configuration and scores it on unseen forms.

    python main.py
    python main.py --set hidden=96 --set epochs=10
"""

import argparse
import json
import time
from collections import Counter

import torch
from torch import nn

from lexicon import PAD, encode, make_stems, paradigm_pairs, spell, split_pairs
from model import Inflector
from runs import Streams, fingerprint, load_config, open_run


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", default="config.json")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting")
    return parser.parse_args()


def epochs(pairs, config, generator):
    """The batches of each epoch; pairs of similar length go together, batches come in random order."""
    for epoch in range(1, config["epochs"] + 1):
        noise = torch.rand(len(pairs), generator=generator)
        order = sorted(range(len(pairs)), key=lambda index: len(pairs[index][3]) + 2.0 * noise[index].item())
        starts = torch.arange(0, len(pairs), config["batch_size"])
        starts = starts[torch.randperm(len(starts), generator=generator)].tolist()
        yield epoch, [[pairs[i] for i in order[start : start + config["batch_size"]]] for start in starts]


def letter_distance(left, right):
    """Levenshtein distance."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(right, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def score(model, pairs):
    model.eval()
    source, tags, _, _ = encode(pairs)
    guesses = [spell(codes) for codes in model.generate(source, tags).tolist()]
    right, total, distance = Counter(), Counter(), 0
    for guess, (_, tense, _, form) in zip(guesses, pairs):
        total[tense] += 1
        right[tense] += guess == form
        distance += letter_distance(guess, form)
    return {
        "accuracy": sum(right.values()) / len(pairs),
        "distance": distance / len(pairs),
        "by_tense": {tense: right[tense] / total[tense] for tense in sorted(total)},
    }


def main():
    args = parse_args()
    config = load_config(args.config, args.set)
    # Seeds follow from the configuration: no two configurations share a lucky draw, and each can be repeated.
    streams = Streams(fingerprint(config))
    folder = open_run(config)
    print(f"{config['experiment']}: run {folder.name}, streams {streams.root:08x}")

    pairs = paradigm_pairs(make_stems(config["verbs"]))
    train, dev = split_pairs(pairs, config["train_pairs"], config["dev_pairs"], streams.numpy("split"))
    print(f"{len(pairs)} forms of {config['verbs']} verbs; {len(train)} to train on, {len(dev)} to score")

    torch.manual_seed(streams.seed("model"))
    model = Inflector(config["embedding"], config["hidden"], config["dropout"])
    optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config["epochs"], eta_min=config["lr"] / 20)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=config["label_smoothing"])

    history, began = [], time.perf_counter()
    for epoch, batches in epochs(train, config, streams.torch("order")):
        model.train()
        total = 0.0
        for batch in batches:
            source, tags, previous, target = encode(batch)
            logits = model(source, tags, previous)
            loss = criterion(logits.flatten(0, 1), target.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            total += loss.item()
        schedule.step()
        result = score(model, dev)
        history.append({"epoch": epoch, "loss": total / len(batches), **result})
        print(
            f"epoch {epoch}  loss {total / len(batches):.4f}  accuracy {result['accuracy']:.3f}"
            f"  edits {result['distance']:.3f}  ({time.perf_counter() - began:.1f} s)"
        )

    torch.save(model.state_dict(), folder / "inflector.pt")
    (folder / "scores.json").write_text(json.dumps(history, indent=2))
    best = max(history, key=lambda entry: entry["accuracy"])
    tenses = ", ".join(f"{tense} {value:.3f}" for tense, value in best["by_tense"].items())
    print(f"best accuracy {best['accuracy']:.4f} after epoch {best['epoch']} ({tenses})")


if __name__ == "__main__":
    main()
