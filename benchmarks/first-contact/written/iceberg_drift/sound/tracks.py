"""Drift tracks of icebergs under wind and current."""
import numpy as np
import torch


def simulate(count, hours, seed):
    """Positions (km), with the wind and current felt at every hour."""
    rng = np.random.default_rng(seed)
    length = rng.uniform(0.1, 2.0, (count, 1))
    wind = np.cumsum(rng.normal(0.0, 1.2, (count, hours, 2)), axis=1) * 0.5
    current = np.cumsum(rng.normal(0.0, 0.05, (count, hours, 2)), axis=1)
    velocity = np.zeros((count, 2))
    position = np.zeros((count, hours, 2))
    for h in range(1, hours):
        drag = 0.3 / (0.5 + length)
        turned = np.stack([-velocity[:, 1], velocity[:, 0]], axis=1)
        force = drag * (current[:, h] - velocity) + 0.012 * drag * wind[:, h] - 0.12 * turned
        velocity = velocity + force
        position[:, h] = position[:, h - 1] + velocity
    return position, wind, current, length


def windows(count, seed, hours=36, ahead=6):
    position, wind, current, length = simulate(count, hours, seed)
    moved = np.diff(position, axis=1)
    known = hours - ahead
    inputs = np.concatenate([moved[:, :known - 1], 0.1 * wind[:, 1:known], current[:, 1:known]], axis=2)
    size = np.broadcast_to(length[:, None], (*inputs.shape[:2], 1))
    inputs = np.concatenate([inputs, size], axis=2)
    target = position[:, -1] - position[:, known - 1]
    return torch.tensor(inputs, dtype=torch.float32), torch.tensor(target, dtype=torch.float32)
