"""Synthetic tactile recordings of grasps.

A fingertip has 16 taxels.  While the object is held the pressures creep; a slip begins with a growing
vibration and a shift of the pressure along the finger.  Grasps are of different lengths.
"""
import numpy as np
import torch

TAXELS = 16
SHORTEST, LONGEST = 40, 120


def record_grasp(number, seed):
    """(frames x taxels, 1 where the object slipped)"""
    rng = np.random.default_rng([seed, number])
    frames = int(rng.integers(SHORTEST, LONGEST + 1))
    slips = int(rng.random() < 0.45)
    row, column = np.divmod(np.arange(TAXELS), 4)
    centre = rng.uniform(0.8, 2.2, size=2)
    width = rng.uniform(0.7, 1.5)
    time = np.arange(frames)

    drift = np.zeros(frames)
    tremor = 0.02 * rng.standard_normal(frames).cumsum() / np.sqrt(frames)
    if slips:
        onset = int(rng.integers(frames // 3, frames - 8))
        since = np.clip(time - onset, 0, None)
        drift = rng.uniform(0.004, 0.02) * since
        tremor = tremor + np.minimum(since / 10.0, 1.0) * rng.uniform(0.04, 0.12) * np.sin(
            rng.uniform(1.2, 2.6) * time + rng.uniform(0, 6.28)
        )
    else:  # regrasps and arm motion look a little like slips
        bump = int(rng.integers(5, frames - 5))
        tremor = tremor + 0.08 * np.exp(-0.5 * ((time - bump) / 4.0) ** 2) * np.sin(1.1 * time)

    distance = (row[None] - centre[0] - drift[:, None]) ** 2 + (column[None] - centre[1]) ** 2
    pressure = rng.uniform(0.6, 1.4) * np.exp(-0.5 * distance / width ** 2)
    pressure = pressure * (1.0 + tremor[:, None]) + 0.03 * rng.standard_normal((frames, TAXELS))
    return torch.tensor(pressure, dtype=torch.float32), slips


def record_grasps(numbers, seed):
    return [record_grasp(number, seed) for number in numbers]


def collate(grasps):
    """(batch x taxels x frames, mask of the frames that exist, labels)"""
    longest = max(frames.shape[0] for frames, _ in grasps)
    batch = torch.zeros(len(grasps), TAXELS, longest)
    mask = torch.zeros(len(grasps), longest)
    for number, (frames, _) in enumerate(grasps):
        batch[number, :, : frames.shape[0]] = frames.T
        mask[number, : frames.shape[0]] = 1.0
    labels = torch.tensor([float(slipped) for _, slipped in grasps])
    return batch, mask, labels
