import argparse
import json
import logging
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, TensorDataset

from model import BlendNet
from preprocess import prepare_all
from scans import SOLVENTS, measure

log = logging.getLogger("blends")


def split(spectra, fractions, share=0.8):
    spectra, fractions = torch.from_numpy(spectra), torch.from_numpy(fractions)
    cut = int(share * len(spectra))
    return TensorDataset(spectra[:cut], fractions[:cut]), (spectra[cut:], fractions[cut:])


def shift(spectra, generator, most=3):
    offset = int(torch.randint(-most, most + 1, (1,), generator=generator))
    return torch.roll(spectra, offset, dims=1)


@torch.no_grad()
def errors(model, spectra, fractions):
    model.eval()
    return (model(spectra).exp() - fractions).abs().mean(0).tolist()


def fit(model, train_set, held_out, args):
    draws = torch.Generator().manual_seed(args.seed)
    loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, generator=draws)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    kl = torch.nn.KLDivLoss(reduction="batchmean")
    for epoch in range(args.epochs):
        began = time.monotonic()
        model.train()
        for spectra, fractions in loader:
            loss = kl(model(shift(spectra, draws)), fractions)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        error = sum(errors(model, *held_out)) / len(SOLVENTS)
        log.info("epoch %d: error %.4f (%.2f s)", epoch + 1, error, time.monotonic() - began)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scans", type=int, default=700)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=20)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--out", type=Path, default=Path("out"))
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(message)s")

    torch.manual_seed(args.seed)
    args.out.mkdir(exist_ok=True)
    began = time.monotonic()
    spectra, fractions = prepare_all(measure(args.scans, args.seed), args.workers)
    log.info("%d spectra of %d points prepared in %.2f s", *spectra.shape, time.monotonic() - began)

    train_set, held_out = split(spectra, fractions)
    model = BlendNet()
    fit(model, train_set, held_out, args)

    result = dict(zip(SOLVENTS, errors(model, *held_out)))
    torch.save(model.state_dict(), args.out / "blendnet.pt")
    (args.out / "errors.json").write_text(json.dumps(result, indent=2))
    print("mean absolute error:", ", ".join(f"{name} {value:.4f}" for name, value in result.items()))


if __name__ == "__main__":
    main()
