import numpy as np


class SortingBelt:
    """What the transport of the sorting machine does to a scan.

    Every note has its own noise in every epoch, whichever worker loads it.
    """

    def __init__(self, options):
        self.seed = options.get("seed")
        self.tilt = options.get("tilt", 1)
        self.stain = options.get("stain", 0.2)
        self.grain = options.get("grain", 0.05)

    def generator(self, epoch, index):
        source = np.random.SeedSequence(self.seed, spawn_key=(epoch, index))
        return np.random.default_rng(source)

    def __call__(self, scan, epoch, index):
        rng = self.generator(epoch, index)
        shift = rng.integers(-self.tilt, self.tilt + 1, size=2)
        scan = np.roll(scan, tuple(shift), axis=(0, 1))
        if rng.random() < self.stain:
            top, left = rng.integers(0, scan.shape[0] - 5), rng.integers(0, scan.shape[1] - 5)
            scan[top:top + 5, left:left + 5] *= 0.7
        return (scan + rng.normal(0, self.grain, scan.shape)).astype(np.float32)
