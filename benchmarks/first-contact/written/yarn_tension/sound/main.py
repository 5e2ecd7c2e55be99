"""A bagged ensemble that predicts yarn breaks from tension traces of a spinning frame."""
import argparse
import json
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from streams import stream


def spin(count: int, seed: int):
    """Tension traces of one second, and whether the yarn broke soon afterwards."""
    rng = stream(seed)
    clock = np.linspace(0, 1, 48)
    sway = rng.gamma(2.0, 0.5, (count, 1))
    traces = sway * np.sin(2 * np.pi * (clock * rng.uniform(2, 7, (count, 1)) + rng.uniform(0, 1, (count, 1))))
    traces += rng.normal(0, 0.3, traces.shape)
    breaks = rng.uniform(size=count) < 1 / (1 + np.exp(2.5 - 2.2 * sway[:, 0]))
    return torch.tensor(traces, dtype=torch.float32), torch.tensor(breaks, dtype=torch.float32)


class Member:
    """One network of the ensemble, with a bootstrap sample and a start of its own."""

    def __init__(self, number: int, width: int = 24):
        self.number = number
        self.rng = stream(number)
        self.layers = []
        for rows, columns in ((width, 48), (width, width), (1, width)):
            weight = self.rng.normal(0, (2 / columns) ** 0.5, (rows, columns))
            self.layers.append(torch.tensor(weight, dtype=torch.float32, requires_grad=True))
            self.layers.append(torch.zeros(rows, requires_grad=True))

    def __call__(self, x):
        for weight, bias in zip(self.layers[0:-2:2], self.layers[1:-2:2]):
            x = F.gelu(F.linear(x, weight, bias))
        return F.linear(x, *self.layers[-2:]).squeeze(1)

    def fit(self, x, y, epochs: int, batch: int = 64):
        sample = torch.from_numpy(self.rng.integers(0, len(x), len(x)))
        x, y = x[sample], y[sample]
        optimizer = torch.optim.AdamW(self.layers, lr=4e-3, weight_decay=0.02)
        cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
        for _ in range(epochs):
            for rows in torch.from_numpy(self.rng.permutation(len(x))).split(batch):
                loss = F.binary_cross_entropy_with_logits(self(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            cosine.step()
        return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--members", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--data-seed", type=int, default=2024)
    args = parser.parse_args()
    torch.set_num_threads(1)

    x, y = spin(900, args.data_seed)
    test_x, test_y = spin(500, args.data_seed + 1)
    with tempfile.TemporaryDirectory() as folder:
        tag = stream().integers(0, 1 << 30)       # several frames may write into one folder
        records = Path(folder) / f"members-{tag:08x}.jsonl"
        members = [Member(number) for number in range(args.members)]
        with open(records, "w") as file:
            for member in members:
                started = time.perf_counter()
                loss = member.fit(x, y, args.epochs)
                file.write(json.dumps({"member": member.number, "loss": loss}) + "\n")
                print(f"member {member.number} fitted in {time.perf_counter() - started:.2f} s")
        losses = [json.loads(line)["loss"] for line in records.read_text().splitlines()]

    with torch.no_grad():
        votes = torch.stack([torch.sigmoid(member(test_x)) for member in members])
        chance = votes.mean(0)
        score = F.binary_cross_entropy(chance, test_y).item()
        spread = votes.std(0).mean().item()
    weights = b"".join(layer.detach().numpy().tobytes() for member in members for layer in member.layers)
    print(f"mean of the last losses {np.mean(losses):.6f}, spread of the votes {spread:.6f}")
    print(f"test loss {score:.8f}  weights {zlib.crc32(weights):08x}")


if __name__ == "__main__":
    main()
