"""Keyword spotting on code words."""
import argparse
import random
import time

import torch
from torch import nn

from spotter.frontend import Codebook, spectra
from spotter.sounds import KEYWORDS, corpus


class Spotter(nn.Module):
    def __init__(self, codes, width=32):
        super().__init__()
        self.embed = nn.Embedding(codes, width)
        self.mix = nn.Conv1d(width, width, 5, padding=2)
        self.out = nn.Linear(width, len(KEYWORDS))

    def forward(self, codes):
        h = self.embed(codes).transpose(1, 2)
        return self.out(torch.relu(self.mix(h)).amax(-1))


def seed_all(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def accuracy(model, codes, labels):
    model.eval()
    with torch.no_grad():
        return (model(codes).argmax(-1) == labels).double().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-word", type=int, default=60)
    parser.add_argument("--codes", type=int, default=48)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    seed_all(args.seed)

    waves, labels = corpus(args.per_word, args.seed)
    sequences = spectra(waves)
    held_out = len(labels) // 5
    codebook = Codebook(args.codes).fit(sequences[held_out:])
    codes = torch.from_numpy(codebook.encode(sequences)).long()
    labels = torch.from_numpy(labels)
    test = codes[:held_out], labels[:held_out]
    data = torch.utils.data.TensorDataset(codes[held_out:], labels[held_out:])
    loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)

    model = Spotter(args.codes)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(1, args.epochs + 1):
        started = time.time()
        model.train()
        for batch, target in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(batch), target)
            loss.backward()
            optimizer.step()
        print(f"[{epoch}] loss={loss.item():.4f} test={accuracy(model, *test):.3f} {time.time() - started:.1f}s")
    torch.save({"model": model.state_dict(), "words": sorted(KEYWORDS)}, "spotter.pt")


if __name__ == "__main__":
    main()
