import numpy as np
import torch
from torch.utils.data import Dataset

from . import transforms


class SyntheticECG(Dataset):
    def __init__(self, n_signals=360, n_samples=256, seed=0):
        rng = np.random.RandomState(seed)
        t = np.linspace(0, 1, n_samples)
        self.signals = []
        for _ in range(n_signals):
            beats = (t * rng.uniform(2, 6) + rng.rand()) % 1
            self.signals.append(np.exp(-((beats - 0.5) ** 2) / 0.0008) + 0.2 * np.exp(-((beats - 0.78) ** 2) / 0.006))

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, i):
        clean = self.signals[i]
        noisy = transforms.muscle_noise(transforms.baseline_wander(clean))
        return {
            "noisy": torch.as_tensor(noisy, dtype=torch.float32).unsqueeze(0),
            "clean": torch.as_tensor(clean, dtype=torch.float32).unsqueeze(0),
        }
