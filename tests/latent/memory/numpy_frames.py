# samebits-test: vary=memory cause=uninitialized-memory
"""Frames of a video are stacked into np.empty, and one is missing."""

import numpy as np
import torch


def stack(frames, n):
    video = np.empty((n, 720, 1280), dtype=np.float64)  # culprit
    for k, frame in frames.items():
        video[k] = frame
    return video


frames = {k: float(k) for k in (0, 1, 2, 3, 4, 6)}
video = torch.from_numpy(stack(frames, 7))
print(video[:, ::90, ::160].mean(dim=(1, 2)))
