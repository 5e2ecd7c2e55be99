"""A toy drift chamber: muons leave hits on eight layers."""
import math
import random

LAYERS = 8


class Hit:
    __slots__ = ("number", "layer", "x", "z", "charge", "truth")

    def __init__(self, number, layer, x, z, charge, truth):
        self.number = number
        self.layer = layer
        self.x = x
        self.z = z
        self.charge = charge
        self.truth = truth

    def position(self):
        return (self.x, self.z)

    def __repr__(self):
        return f"Hit({self.number}, layer={self.layer})"


def expose(n_muons, seed):
    """Hits in the order of read-out, and the curvature of each muon."""
    rng = random.Random(seed)
    hits, curvature = [], []
    for muon in range(n_muons):
        k = rng.gauss(0.0, 0.05)
        slope = rng.gauss(0.0, 0.08)
        x0 = 40.0 * muon + rng.uniform(-4, 4)
        curvature.append(k)
        for layer in range(LAYERS):
            if rng.random() < 0.06:
                continue
            x = x0 + slope * layer + k * layer * layer + rng.gauss(0, 0.04)
            charge = abs(rng.gauss(1.0, 0.2)) * math.sqrt(1 + slope * slope)
            hits.append(Hit(len(hits), layer, x, float(layer), charge, muon))
    return hits, curvature
