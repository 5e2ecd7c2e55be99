import numpy as np
import torch
from torch.utils.data import Dataset

PAST, AHEAD = 24, 12


class TrackWindows(Dataset):
    """A day of a track, and where the storm is and how it blows half a day later."""

    def __init__(self, tracks: np.ndarray, mean: np.ndarray, std: np.ndarray):
        scaled = torch.from_numpy((tracks - mean) / std)
        starts = range(0, scaled.shape[1] - PAST - AHEAD, 6)
        self.past = torch.cat([scaled[:, s:s + PAST] for s in starts])
        ends = [scaled[:, s + PAST + AHEAD, :3] - scaled[:, s + PAST - 1, :3] for s in starts]
        self.change = torch.cat(ends)

    def __len__(self):
        return len(self.past)

    def __getitem__(self, i):
        return self.past[i], self.change[i]
