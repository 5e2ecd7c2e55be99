"""Antibody titres from ELISA plates: a small network on the ratios of signal to blank."""
import argparse
import csv
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WELLS = 96


@dataclass
class Plate:
    signal: np.ndarray
    blank: np.ndarray
    titre: float
    microseconds: float


def absorb(rng, titre, well):
    dilution = 2.0 ** -(well % 12)
    return 0.05 + 2.8 * titre * dilution / (0.2 + titre * dilution) + rng.normal(0, 0.02)


class Reader:
    """Reads a plate well by well, as the instrument does."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def read(self):
        titre = float(self.rng.gamma(2.0, 0.8))
        signal = np.array([0.0] * WELLS)
        blank = np.array([0.0] * WELLS)
        dry = self.rng.choice(WELLS, 6, replace=False)
        spent = self.scan(signal, blank, titre)
        blank[dry] = 0.0
        return Plate(signal, blank, titre, spent)

    def scan(self, signal, blank, titre):
        spent = np.zeros(WELLS)
        for well in range(WELLS):
            begun = time.perf_counter()
            signal[well] = absorb(self.rng, titre, well)
            blank[well] = 0.05 + abs(self.rng.normal(0, 0.005))
            spent[well] = 1e6 * (time.perf_counter() - begun)
        return float(spent.mean())


def ratios(plate):
    filled = plate.blank > 0
    ratio = np.divide(plate.signal, plate.blank, out=np.zeros(WELLS), where=filled)
    return np.log1p(np.maximum(ratio, 0)).astype(np.float32)


def measure(reader):
    plate = reader.read()
    return ratios(plate), plate.titre, plate.microseconds


def collect(count, seed, table):
    reader = Reader(seed)
    features, titres = [], []
    with open(table, "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["plate", "titre", "microseconds"])
        for number in range(count):
            row, titre, microseconds = measure(reader)
            features.append(row)
            titres.append(np.log(titre))
            writer.writerow([number, f"{titre:.6f}", f"{microseconds:.2f}"])
    return torch.from_numpy(np.stack(features)), torch.tensor(titres, dtype=torch.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plates", type=int, default=480)
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "plates.csv"
        features, titres = collect(args.plates, args.seed, table)
        with open(table, newline="") as stream:
            spent = [float(row["microseconds"]) for row in csv.DictReader(stream)]
    print(f"{len(spent)} plates, {sum(spent) / len(spent):.1f} us per well")

    held = args.plates // 5
    mean, deviation = features[held:].mean(0), features[held:].std(0) + 1e-6
    features = (features - mean) / deviation
    loader = DataLoader(TensorDataset(features[held:], titres[held:]), batch_size=32, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = nn.Sequential(nn.Linear(WELLS, 48), nn.Tanh(), nn.Dropout(0.1), nn.Linear(48, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    begun = time.perf_counter()
    for _ in range(args.epochs):
        model.train()
        for batch, titre in loader:
            loss = nn.functional.mse_loss(model(batch).squeeze(1), titre)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    print(f"trained in {time.perf_counter() - begun:.2f} s")
    model.eval()
    with torch.no_grad():
        error = (model(features[:held]).squeeze(1) - titres[:held]).abs().mean().item()
    print(f"error {error:.7f}, weights {sum(p.double().abs().sum().item() for p in model.parameters()):.9f}")


if __name__ == "__main__":
    main()
