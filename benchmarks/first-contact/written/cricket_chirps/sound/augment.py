from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch


class Augmenter:
    """Adds wind, rain and distance to a clip, and takes its spectrogram."""

    def __init__(self, seed, wind=0.8):
        self.seed = seed
        self.wind = wind
        self.window = torch.hann_window(256)

    def __call__(self, epoch, index, clip):
        rng = np.random.default_rng([self.seed, epoch, index])
        gain = rng.uniform(0.4, 1.2)
        shift = int(rng.integers(0, clip.size))
        gusts = np.cumsum(rng.standard_normal(clip.size)) / np.sqrt(clip.size)
        rain = rng.standard_normal(clip.size) * rng.uniform(0.0, 0.3)
        noisy = gain * np.roll(clip, shift) + self.wind * gusts + rain
        return self.spectrum(noisy.astype(np.float32))

    def spectrum(self, signal):
        spec = torch.stft(torch.from_numpy(signal), 256, 128, window=self.window, return_complex=True)
        return torch.log1p(spec.abs().square())


class Pipeline:
    """One epoch's spectrograms, made by a few threads, given in the clips' order."""

    def __init__(self, clips, augmenter, threads=4):
        self.clips = clips
        self.augmenter = augmenter
        self.pool = ThreadPoolExecutor(threads)

    def epoch(self, number):
        jobs = [self.pool.submit(self.augmenter, number, i, c) for i, c in enumerate(self.clips)]
        return torch.stack([j.result() for j in jobs])

    def plain(self, clips):
        return torch.stack(list(self.pool.map(self.augmenter.spectrum, clips)))

    def close(self):
        self.pool.shutdown()
