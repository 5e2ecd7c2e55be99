"""Lute tablature: name the course and fret that was plucked, from half a second of sound.

The sounds are made by Karplus-Strong synthesis in a few threads (numpy lets go of the
interpreter lock in its FFTs), then a small network is trained on their spectra.
"""
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

RATE = 8000
LENGTH = 4096
COURSES = [98.0, 130.8, 174.6, 220.0, 293.7, 392.0]   # open strings, Hz
FRETS = 5


class Workshop:
    """Makes plucked notes."""

    def __init__(self, seed, room=0.15):
        self.seed = seed
        self.room = room
        self.rng = np.random.default_rng(seed)
        self.labels = np.zeros(0, dtype=np.int64)

    def order(self, count):
        self.labels = self.rng.integers(0, len(COURSES) * FRETS, size=count)
        return self

    def pluck(self, i):
        rng = np.random.default_rng((self.seed, i))
        course, fret = divmod(int(self.labels[i]), FRETS)
        pitch = COURSES[course] * 2 ** (fret / 12) * 2 ** (rng.normal(0, 6) / 1200)
        period = RATE / pitch
        burst = rng.uniform(-1, 1, size=LENGTH)
        burst[int(period):] = 0
        # the string loop, as a comb filter in the frequency domain
        w = 2 * np.pi * np.fft.rfftfreq(2 * LENGTH)
        damping = rng.uniform(0.985, 0.996)
        loop = damping * np.exp(-1j * w * (period - 0.5)) * np.cos(w / 2) * np.exp(-0.5j * w)
        note = np.fft.irfft(np.fft.rfft(burst, 2 * LENGTH) / (1 - loop))[:LENGTH]
        tail = rng.normal(0, 1, size=LENGTH) * np.exp(-np.arange(LENGTH) / (0.1 * RATE))
        wet = np.fft.irfft(np.fft.rfft(note, 2 * LENGTH) * np.fft.rfft(tail, 2 * LENGTH))[:LENGTH]
        note = note / np.abs(note).max() + self.room * wet / np.abs(wet).max()
        return (note + rng.normal(0, 0.02, size=LENGTH)).astype(np.float32)

    def make(self, threads):
        with ThreadPoolExecutor(max_workers=threads) as pool:
            notes = list(pool.map(self.pluck, range(len(self.labels))))
        return torch.from_numpy(np.stack(notes)), torch.from_numpy(self.labels)


def spectra(notes):
    window = torch.hann_window(1024)
    mag = torch.stft(notes, 1024, hop_length=512, window=window, return_complex=True).abs()
    return torch.log1p(mag[:, :256].mean(dim=2))


class Ear(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(1, 16, 7, padding=3)
        self.conv2 = nn.Conv1d(16, 16, 7, padding=3, stride=2)
        self.fc1 = nn.Linear(16 * 128, 96)
        self.fc2 = nn.Linear(96, len(COURSES) * FRETS)

    def forward(self, x):
        x = F.relu(self.conv1(x[:, None]))
        x = F.relu(self.conv2(x))
        x = F.dropout(F.relu(self.fc1(x.flatten(1))), 0.25, self.training)
        return self.fc2(x)


def main(argv):
    epochs = int(argv[1]) if len(argv) > 1 else 8
    torch.manual_seed(1611)
    torch.set_num_threads(1)
    notes, labels = Workshop(seed=1611).order(1400).make(threads=4)
    x = spectra(notes)
    x = (x - x[:1100].mean(0)) / x[:1100].std(0)
    print("spectra", tuple(x.shape), "mean energy %.6f" % notes.square().mean().item())

    ear = Ear()
    opt = torch.optim.AdamW(ear.parameters(), lr=2e-3)
    for epoch in range(epochs):
        ear.train()
        perm = torch.randperm(1100)
        seen = 0.0
        for k in range(0, 1100, 50):
            rows = perm[k:k + 50]
            loss = F.cross_entropy(ear(x[rows]), labels[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            seen += loss.item()
        ear.eval()
        with torch.no_grad():
            guess = ear(x[1100:]).argmax(1)
        right = (guess == labels[1100:]).float().mean().item()
        course = (guess // FRETS == labels[1100:] // FRETS).float().mean().item()
        print("epoch %d  loss %.5f  note %.3f  course %.3f" % (epoch, seen / 22, right, course))
    torch.save(ear.state_dict(), "ear.pt")


if __name__ == "__main__":
    main(sys.argv)
