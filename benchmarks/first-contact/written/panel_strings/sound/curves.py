"""Current-voltage curves of photovoltaic strings, healthy or with one of three faults."""
import numpy as np
import torch
from sklearn.model_selection import train_test_split

STATES = ("healthy", "shaded", "soiled", "open_bypass")
VOLTS = 32


def curve(rng, state):
    v = np.linspace(0.0, 1.0, VOLTS)
    current = rng.uniform(0.85, 1.1)
    knee = rng.uniform(10.0, 14.0)
    i = current * (1.0 - np.exp(knee * (v - 1.0)))
    if state == 1:
        i = np.where(v > rng.uniform(0.45, 0.7), i * rng.uniform(0.55, 0.85), i)
    elif state == 2:
        i = i * rng.uniform(0.7, 0.88)
    elif state == 3:
        i = i - rng.uniform(0.12, 0.3) * v
    return i + rng.normal(0.0, 0.03, VOLTS)


def load(seed, count=640):
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % len(STATES)
    curves = np.stack([curve(rng, state) for state in labels]).astype(np.float32)
    x_train, x_rest, y_train, y_rest = train_test_split(
        curves, labels, train_size=0.75, stratify=labels, random_state=seed)
    x_val, x_test, y_val, y_test = train_test_split(
        x_rest, y_rest, train_size=0.3, stratify=y_rest, random_state=seed)
    parts = (x_train, y_train), (x_val, y_val), (x_test, y_test)
    return [(torch.from_numpy(x), torch.from_numpy(y)) for x, y in parts]
