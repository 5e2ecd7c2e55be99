"""Batches of strums, made ahead of time in a thread."""
import queue
import random
import threading

import torch
from chords import CHORDS, strum


class StrumFeed:
    def __init__(self, steps, batch, seed, ahead):
        self.steps, self.batch = steps, batch
        self.names = list(CHORDS)
        self.rng = random.Random(seed)
        self.noise = torch.Generator().manual_seed(seed)
        self.ready = queue.Queue(maxsize=ahead)
        self.thread = threading.Thread(target=self._fill, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.thread.join(timeout=10)

    def __iter__(self):
        for _ in range(self.steps):
            yield self.ready.get()

    def _fill(self):
        for _ in range(self.steps):
            chord = [self.rng.randrange(len(self.names)) for _ in range(self.batch)]
            sound = torch.stack([self._distort(self._strum(self.names[c])) for c in chord])
            self.ready.put((sound, torch.tensor(chord)))

    def _strum(self, name):
        pace = self.rng.uniform(0.002, 0.012)
        delays = [string * pace + self.rng.uniform(0, 0.002) for string in range(6)]
        return strum(name, delays, detune=self.rng.gauss(0, 12))

    def _distort(self, wave):
        """Overdrive, and the hiss of a cheap amplifier."""
        gain = torch.empty(1).uniform_(0.3, 1.5, generator=self.noise)
        hiss = torch.randn(wave.shape, generator=self.noise)
        return torch.tanh(gain * wave) + 0.1 * hiss
