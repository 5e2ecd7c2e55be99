"""Applause, silence or singing? A small network over recordings of an opera house."""
import math
import time

import torch
from torch import nn

from monitor import Monitor

RATE = 2000
SECONDS = 0.4
KINDS = ("silence", "singing", "applause")


def clip(kind, generator):
    n = int(RATE * SECONDS)
    t = torch.arange(n) / RATE
    noise = torch.randn(n, generator=generator)
    if kind == 0:
        return 0.3 * noise
    if kind == 1:
        pitch = 180 + 300 * torch.rand(1, generator=generator)
        vibrato = 4 * torch.sin(2 * math.pi * 5.5 * t)
        return torch.sin(2 * math.pi * pitch * t + vibrato) + 0.6 * noise
    claps = (torch.rand(n, generator=generator) < 0.03).float() * noise * 4
    return claps + 0.4 * noise


def recordings(count, seed, mislabelled):
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(len(KINDS), (count,), generator=generator)
    waves = torch.stack([clip(int(kind), generator) for kind in labels])
    spectra = torch.stft(waves, 64, hop_length=32, window=torch.hann_window(64), return_complex=True)
    wrong = torch.rand(count, generator=generator) < mislabelled
    labels = torch.where(wrong, torch.randint(len(KINDS), (count,), generator=generator), labels)
    return spectra.abs().log1p(), labels


class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv1d(33, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU(),
            nn.Conv1d(32, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2))
        self.head = nn.Linear(32, len(KINDS))

    def forward(self, spectra):
        return self.head(self.front(spectra).mean(2))


def soup(entries):
    """The mean of the weights of several epochs."""
    states = [state for _, _, state in entries]
    mean = {}
    for name, first in states[0].items():
        if first.is_floating_point():
            mean[name] = torch.stack([state[name] for state in states]).mean(0)
        else:
            mean[name] = first
    return mean


def main():
    torch.manual_seed(88)
    torch.set_num_threads(1)
    clips, labels = recordings(480, seed=1, mislabelled=0.15)
    held_clips, held_labels = recordings(900, seed=2, mislabelled=0.0)

    model = Listener()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.15, momentum=0.8)
    monitor = Monitor(model, held_clips, held_labels)
    monitor.start()

    start = time.perf_counter()
    for epoch in range(9):
        model.train()
        for rows in torch.randperm(len(clips)).split(32):
            loss = nn.functional.cross_entropy(model(clips[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        monitor.submit(epoch, model.state_dict())
    trained = time.perf_counter() - start
    scored = monitor.finish()

    for epoch, score, _ in scored:
        print(f"epoch {epoch:2d}  held-out loss {score:.6f}")
    best = sorted(scored, key=lambda entry: entry[1])[:5]
    print("averaged epochs", sorted(entry[0] for entry in best))
    model.load_state_dict(soup(best))
    model.eval()
    with torch.no_grad():
        final = nn.functional.cross_entropy(model(held_clips), held_labels).item()
    print(f"training {trained:.2f} s, monitor busy {monitor.busy:.2f} s")
    print(f"loss of the average {final:.8f}")
    print("weights", sum(value.double().abs().sum().item() for value in model.parameters()))


if __name__ == "__main__":
    main()
