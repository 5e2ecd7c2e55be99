import numpy as np
import torch

PHASE = np.linspace(0.0, 1.0, 20)


def load_strides(n_subjects=26, strides=30, seed=7):
    """Joint angles (hip, knee, ankle over stance) and the adduction moment curve."""
    rng = np.random.default_rng(seed)
    kinematics, moments, subjects = [], [], []
    for subject in range(n_subjects):
        mass = rng.normal(75, 12)
        varus = rng.normal(1.0, 2.5)
        for _ in range(strides):
            speed = rng.normal(1.3, 0.15)
            hip = 25 * np.cos(2 * np.pi * PHASE) * speed + rng.normal(0, 1.0, PHASE.size)
            knee = 18 * np.sin(np.pi * PHASE) ** 2 + varus + rng.normal(0, 0.8, PHASE.size)
            ankle = 9 * np.sin(2 * np.pi * (PHASE - 0.15)) + rng.normal(0, 0.7, PHASE.size)
            first = np.exp(-(((PHASE - 0.25) / 0.1) ** 2))
            second = np.exp(-(((PHASE - 0.75) / 0.12) ** 2))
            curve = (0.35 + 0.03 * varus) * speed * (first + 0.8 * second) * mass / 75
            kinematics.append(np.concatenate([hip, knee, ankle, [mass, speed]]))
            moments.append(curve + rng.normal(0, 0.01, PHASE.size))
            subjects.append(subject)
    return (
        torch.tensor(np.array(kinematics), dtype=torch.float32),
        torch.tensor(np.array(moments), dtype=torch.float32),
        np.array(subjects),
    )
