"""Plays the hits in rooms with an echo, hum and hiss; several threads do it at once."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np

BANDS = 32


def band_matrix(bins, bands=BANDS):
    edges = np.geomspace(2, bins - 1, bands + 1).astype(int)
    matrix = np.zeros((bins, bands), dtype=np.float32)
    for band, (low, high) in enumerate(zip(edges[:-1], edges[1:])):
        matrix[low:max(high, low + 1), band] = 1.0
    return matrix


class Rooms:
    """Gives the features of all hits for an epoch, each heard in a new room."""

    def __init__(self, hits, seed, threads=4, frame=256):
        self.hits, self.seed, self.frame = hits, seed, frame
        self.rng = np.random.default_rng(seed)
        self.colour = self.rng.uniform(0.7, 1.3, frame // 2 + 1).astype(np.float32)
        self.matrix = band_matrix(frame // 2 + 1)
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="room")

    def heard(self, job):
        epoch, index = job
        rng = np.random.default_rng((self.seed, epoch, index))
        hit = self.hits[index]
        delay = rng.integers(40, 400)
        echo = np.zeros_like(hit)
        echo[delay:] = rng.uniform(0.1, 0.6) * hit[:-delay]
        hum = np.sin(np.arange(len(hit)) * rng.uniform(0.03, 0.05)).astype(np.float32)
        hiss = rng.standard_normal(len(hit), dtype=np.float32)
        wave = hit + echo + 0.1 * hum + rng.uniform(0.02, 0.2) * hiss
        return self.features(wave)

    def features(self, wave):
        frames = wave.reshape(-1, self.frame) * np.hanning(self.frame).astype(np.float32)
        power = np.abs(np.fft.rfft(frames, axis=1)).astype(np.float32) * self.colour
        return np.log(1e-3 + (power @ self.matrix).T)

    def epoch(self, number):
        jobs = [(number, index) for index in range(len(self.hits))]
        return np.stack(list(self.pool.map(self.heard, jobs, chunksize=1)))

    def dry(self):
        return np.stack([self.features(hit) for hit in self.hits])

    def close(self):
        self.pool.shutdown()
