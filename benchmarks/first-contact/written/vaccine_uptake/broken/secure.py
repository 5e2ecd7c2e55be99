"""Secure aggregation: the server learns the sum of the updates and no single update."""

import secrets

import numpy as np

SCALE = 2 ** 24
MASK_RANGE = 2 ** 48


class SecureRound:
    """Every pair of clinics agrees on a mask; one adds it, the other one subtracts it."""

    def __init__(self, n_clients, size):
        self.masks = [np.zeros(size, dtype=np.int64) for _ in range(n_clients)]
        for first in range(n_clients):
            for second in range(first + 1, n_clients):
                shared = np.random.default_rng(secrets.randbits(128))
                mask = shared.integers(-MASK_RANGE, MASK_RANGE, size=size)
                self.masks[first] += mask
                self.masks[second] -= mask
        self.total = 0
        self.received = 0

    def protect(self, client, update):
        """What the clinic sends: its update in fixed point, with its masks."""
        scaled = update.astype(np.float64) * SCALE
        return scaled + self.masks[client]

    def receive(self, message):
        self.total = self.total + message
        self.received += 1

    def mean(self):
        if self.received != len(self.masks):
            raise RuntimeError("a clinic has dropped out, the masks do not cancel")
        return self.total / SCALE / self.received
