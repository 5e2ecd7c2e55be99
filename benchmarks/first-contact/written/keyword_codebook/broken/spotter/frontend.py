"""From waves to sequences of code words, as in bag-of-audio-words systems."""
import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.preprocessing import StandardScaler

WINDOW, HOP = 256, 128


def spectra(waves):
    """Log spectra, (waves, frames, bands)."""
    starts = range(0, waves.shape[1] - WINDOW + 1, HOP)
    frames = np.stack([waves[:, s:s + WINDOW] for s in starts], axis=1) * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames, axis=-1)) ** 2
    bands = power[..., 1:129].reshape(*power.shape[:2], 32, 4).mean(-1)
    return np.log(bands + 1e-3)


class Codebook:
    """Frames are scaled and then replaced by the number of the nearest code word."""

    def __init__(self, size=48):
        self.size = size
        self.scale = StandardScaler()
        self.words = MiniBatchKMeans(size, batch_size=512, n_init=3, max_iter=20)

    def fit(self, sequences):
        frames = sequences.reshape(-1, sequences.shape[-1])
        self.words.fit(self.scale.fit_transform(frames))
        return self

    def encode(self, sequences):
        frames = sequences.reshape(-1, sequences.shape[-1])
        return self.words.predict(self.scale.transform(frames)).reshape(sequences.shape[:2])
