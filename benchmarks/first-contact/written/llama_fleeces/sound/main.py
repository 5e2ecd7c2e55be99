"""Grade llama fleeces by fibre micrographs."""
import argparse
import tempfile
import time
import zlib

import numpy as np
import pandas as pd
import torch
from torch import nn

import shards


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--farms", type=int, default=28)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


def collect(args):
    begun = time.time()
    with tempfile.TemporaryDirectory(prefix="fleeces-") as folder:
        done = shards.build(folder, args.farms, args.seed, args.workers)
        features, grades, farms = shards.read(folder)
    fleeces = sum(count for count, _ in done)
    print(f"{fleeces} fleeces of {args.farms} farms in {time.time() - begun:.2f} s")
    return features, grades, farms


def describe(features, grades):
    frame = pd.DataFrame({"grade": [shards.GRADES[g] for g in grades], "contrast": features[:, 1]})
    print(frame.groupby("grade")["contrast"].agg(["count", "mean"]).round(3).to_string())


def train(features, grades, held, args):
    torch.manual_seed(args.seed)
    inputs, targets = torch.from_numpy(features), torch.from_numpy(grades)
    inputs = (inputs - inputs[~held].mean(0)) / inputs[~held].std(0)
    rows = torch.nonzero(~held).squeeze(1)
    model = nn.Sequential(nn.Linear(inputs.shape[1], 64), nn.SiLU(), nn.Dropout(0.1),
                          nn.Linear(64, len(shards.GRADES)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    shuffler = torch.Generator().manual_seed(args.seed)
    for epoch in range(args.epochs):
        model.train()
        losses = []
        for batch in rows[torch.randperm(len(rows), generator=shuffler)].split(16):
            loss = nn.functional.cross_entropy(model(inputs[batch]), targets[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            hits = (model(inputs[held]).argmax(1) == targets[held]).double().mean().item()
        print(f"epoch {epoch} loss {np.mean(losses):.6f} held-out accuracy {hits:.4f}")
    return model


def main():
    args = parse()
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    features, grades, farms = collect(args)
    describe(features, grades)
    held = torch.from_numpy(farms % 5 == 0)
    model = train(features, grades, held, args)
    state = b"".join(value.numpy().tobytes() for value in model.state_dict().values())
    print(f"weights crc {zlib.crc32(state):08x}")


if __name__ == "__main__":
    main()
