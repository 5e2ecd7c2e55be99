"""Synthetic heart beats of four kinds; each hospital's recorder has a gain and a drift."""
import numpy as np
import torch

SAMPLES = 96
#         P, Q, R, S, T: centre, width, height
NORMAL = [(20, 4, .15), (38, 2, -.12), (42, 2.5, 1.0), (46, 2, -.25), (68, 7, .30)]
CHANGES = [{}, {0: (20, 4, 0.0)}, {2: (42, 6.0, 0.8), 4: (68, 7, -.25)}, {0: (8, 4, .15), 4: (74, 7, .12)}]


def hospital(site, beats):
    rng = np.random.default_rng([7, site])
    gain, drift = rng.uniform(0.8, 1.2), rng.uniform(-0.3, 0.3)
    kinds = rng.choice(4, beats, p=rng.dirichlet([2, 2, 2, 2]) if site != 99 else None)
    t = np.arange(SAMPLES)
    out = np.zeros((beats, SAMPLES))
    for row, kind in zip(out, kinds):
        pace = rng.uniform(0.93, 1.07)
        for k, wave in enumerate(NORMAL):
            centre, width, height = CHANGES[kind].get(k, wave)
            row += height * np.exp(-((t - 42 - (centre - 42) * pace) / width) ** 2 / 2)
        row += drift * np.sin(np.pi * t / SAMPLES + rng.uniform(0, 6)) + rng.normal(0, 0.12, SAMPLES)
    return torch.from_numpy((gain * out).astype(np.float32))[:, None], torch.from_numpy(kinds)
