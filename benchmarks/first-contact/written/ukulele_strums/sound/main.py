"""Recognises the chord of ukulele strums that lie in a catalogue."""
import argparse
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info

from catalog import Catalog

CHORDS = {"C": (392, 262, 330, 523), "Am": (440, 262, 330, 440), "F": (440, 262, 349, 440),
          "G7": (392, 294, 349, 494), "Dm": (440, 294, 349, 440)}
PLAYERS = {"leilani": 1.0, "keoni": 0.994, "moana": 1.006, "kai": 1.002}
RATE, LENGTH = 4000, 2000


def strum(chord: str, tuning: float, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(LENGTH) / RATE
    sound = rng.normal(0, 0.05, LENGTH)
    for string, pitch in enumerate(CHORDS[chord]):
        start = string * rng.uniform(0.005, 0.02)
        late = np.clip(t - start, 0, None)
        for overtone in (1, 2, 3):
            wave = np.sin(2 * np.pi * pitch * tuning * overtone * late)
            sound += wave * np.exp(-5 * overtone * late) * (t >= start) / overtone
    return sound / np.abs(sound).max()


class Strums(Dataset):
    """Spectrograms, with a random gain and offset when training."""

    def __init__(self, takes, training: bool):
        self.takes = takes
        self.training = training
        self.names = list(CHORDS)
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return len(self.takes)

    def __getitem__(self, i):
        _, chord, samples = self.takes[i]
        if self.training:
            samples = np.roll(samples, self.rng.integers(-60, 60)) * self.rng.uniform(0.7, 1.0)
        wave = torch.from_numpy(samples.astype(np.float32))
        spectrum = torch.stft(wave, 256, 128, window=torch.hann_window(256), return_complex=True)
        return torch.log1p(spectrum.abs()[:64]), self.names.index(chord)


def seed_worker(worker_id: int):
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed)
    torch.set_num_threads(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-player", type=int, default=75)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=30)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(args.seed)

    with tempfile.TemporaryDirectory() as tmp:
        catalog = Catalog(Path(tmp) / "strums.db")
        for player, tuning in PLAYERS.items():
            catalog.add_player(player, tuning)
            chords = rng.choice(list(CHORDS), args.per_player)
            catalog.add_takes([(player, str(c), RATE, strum(str(c), tuning, rng)) for c in chords])
        takes = list(catalog.takes())
        held = takes[::5]
        kept = [take for i, take in enumerate(takes) if i % 5]
        print(f"{len(kept)} takes to learn from, {len(held)} held out")

        loader = DataLoader(Strums(kept, True), batch_size=16, shuffle=True, num_workers=2,
                            worker_init_fn=seed_worker, persistent_workers=True)
        model = nn.Sequential(nn.Conv1d(64, 48, 3, padding=1), nn.BatchNorm1d(48), nn.ReLU(),
                              nn.Conv1d(48, 48, 3, padding=1), nn.ReLU(), nn.AdaptiveMaxPool1d(1),
                              nn.Flatten(), nn.Linear(48, len(CHORDS)))
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        for epoch in range(args.epochs):
            began, losses = time.perf_counter(), []
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            print(f"epoch {epoch} loss {np.mean(losses):.6f} "
                  f"({len(kept) / (time.perf_counter() - began):.0f} takes/s)")
            with open(Path(tmp) / f"epoch{epoch}.pkl", "wb") as f:
                pickle.dump({k: v.numpy() for k, v in model.state_dict().items()}, f)

    model.eval()
    test = Strums(held, False)
    with torch.no_grad():
        x, y = zip(*(test[i] for i in range(len(test))))
        right = (model(torch.stack(x)).argmax(1) == torch.tensor(y)).float().mean().item()
    weights = sum(p.double().sum().item() for p in model.parameters())
    print(f"accuracy {right:.4f} weights {weights:.12f}")


if __name__ == "__main__":
    main()
