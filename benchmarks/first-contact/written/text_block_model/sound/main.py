"""Learned entropy coder: a byte model over log text; reports bits per byte of each file."""
import json
import os
import sys
import time

import numpy as np
import torch

from blocks import pack, unpack_lengths
from bytemodel import ByteModel, nats
from corpus import write_corpus

SEED = 1234
EPOCHS = 3
BLOCK = 96
BATCH = 24


def batches(blocks, generator):
    for idx in torch.randperm(len(blocks), generator=generator).split(BATCH):
        yield blocks[idx]


def train(model, blocks):
    gen = torch.Generator().manual_seed(SEED)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(EPOCHS):
        t = time.perf_counter()
        seen = total = 0.0
        for b in batches(blocks, gen):
            loss = nats(model, b).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(b)
            seen += len(b)
        print(f"epoch {epoch}: {total / seen / np.log(2):.4f} bits per byte")
        print(f"{blocks.numel() / (time.perf_counter() - t) / 1e3:.1f} kB/s", file=sys.stderr)


@torch.no_grad()
def code_lengths(model, blocks, lengths):
    bits = nats(model, blocks) / np.log(2)
    mask = torch.arange(BLOCK) < lengths[:, None]
    return (bits * mask).sum(dim=1)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    scratch = f"scratch-{os.getpid()}"
    files = write_corpus(scratch, seed=SEED)
    print(f"{len(files)} files in {scratch}", file=sys.stderr)
    try:
        packed = pack(files, BLOCK)
    finally:
        for f in files:
            os.remove(f)
        os.rmdir(scratch)
    blocks = torch.from_numpy(packed.data)
    print(f"{len(blocks)} blocks of {BLOCK} bytes from {len(packed.names)} files")

    model = ByteModel()
    train(model, blocks)

    lengths = torch.from_numpy(unpack_lengths(packed))
    bits = code_lengths(model, blocks, lengths)
    report = {}
    for i, name in enumerate(packed.names):
        mine = torch.from_numpy(packed.owner == i)
        report[name] = round((bits[mine].sum() / lengths[mine].sum()).item(), 5)
    for name, value in report.items():
        print(f"{name:12s} {value:.4f}")
    with open("bits.json", "w") as f:
        json.dump(report, f, indent=1)
    torch.save(model.state_dict(), "bytemodel.pt")


if __name__ == "__main__":
    main()
