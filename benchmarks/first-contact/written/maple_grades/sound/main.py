"""Learns the grade of maple syrup on line, from the spectra that come in."""
import argparse
import json
import pathlib
import tempfile
import time

import torch
from torch import nn

from feed import Feed


def build(seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Unflatten(1, (1, 255)), nn.Conv1d(1, 12, 9, stride=3), nn.ReLU(),
                         nn.Conv1d(12, 16, 7, stride=3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(4))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=88)
    args = parser.parse_args()
    torch.set_num_threads(1)
    model = build(args.seed)
    model(torch.zeros(1, 255))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    smooth, seen, right = 1.4, 0, 0
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, Feed(args.seed, args.frames) as feed:
        journal = pathlib.Path(folder, "journal.jsonl").open("w+")
        for spectra, grade in feed:
            scores = model(spectra)
            loss = nn.functional.cross_entropy(scores, grade)
            right += (scores.argmax(1) == grade).sum().item()
            seen += len(grade)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            smooth = 0.98 * smooth + 0.02 * loss.item()
            journal.write(json.dumps({"seen": seen, "loss": loss.item(), "smooth": smooth}) + "\n")
        journal.seek(0)
        worst = max(json.loads(line)["loss"] for line in journal)
        journal.close()
        print(f"{feed.bytes_read / 1e6 / (time.perf_counter() - began):.2f} MB/s")
    print(f"frames {seen}  right at first sight {right / seen:.4f}  worst loss {worst:.5f}")
    print(f"final loss {smooth:.8f}  norm {torch.nn.utils.parameters_to_vector(model.parameters()).double().norm().item():.12f}")


if __name__ == "__main__":
    main()
