"""Field clips of bat calls: synthetic spectrograms and the background that the mixer adds to them."""
import numpy as np
import torch
from torch.utils.data import Dataset, get_worker_info

SPECIES = ["pipistrelle", "noctule", "serotine", "daubenton", "barbastelle"]
BANDS, FRAMES = 32, 40
SEED = 73


def make_clips(per_species, seed):
    rng = np.random.default_rng(seed)
    clips, labels = [], []
    t = np.linspace(0, 1, FRAMES)
    for label in range(len(SPECIES)):
        for _ in range(per_species):
            start = 26 - 3 * label + rng.normal(0, 0.8)
            end = 6 + 2 * label + rng.normal(0, 0.8)
            centre = end + (start - end) * np.exp(-(2 + label) * t)
            spread = 1.2 + 0.3 * label
            clip = np.exp(-0.5 * ((np.arange(BANDS)[:, None] - centre) / spread) ** 2)
            clips.append(clip * rng.uniform(0.6, 1.2))
            labels.append(label)
    return np.asarray(clips, dtype=np.float32), np.asarray(labels)


class RoostMixer(Dataset):
    """Mixes each clip with wind, rain and a second animal further away, anew each time it is read for training."""

    def __init__(self, clips, labels, train):
        self.clips, self.labels, self.train = clips, labels, train
        self.rng = None

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, i):
        rng = self.rng if self.train else np.random.default_rng([SEED, i])
        clip = np.roll(self.clips[i], int(rng.integers(-6, 7)), axis=1)
        clip += 0.25 * self.clips[rng.integers(len(self.clips))]
        clip += rng.exponential(0.12, size=(BANDS, 1)).astype(np.float32)
        clip += rng.normal(0, 0.15, size=clip.shape).astype(np.float32)
        return torch.from_numpy(clip)[None], int(self.labels[i])


def start_worker(worker_id):
    """Each worker mixes with a stream of its own, and with another one in each epoch."""
    info = get_worker_info()
    sequence = np.random.SeedSequence(info.seed, spawn_key=(worker_id,))
    info.dataset.rng = np.random.default_rng(sequence)
    torch.set_num_threads(1)
