"""Named torch generators, all grown from the one seed of the run."""
import zlib

import numpy as np
import torch


class Streams:
    def __init__(self, settings):
        self.root = np.random.SeedSequence(settings.get("seed"))

    def sequence(self, name):
        return np.random.SeedSequence(self.root.entropy, spawn_key=(zlib.crc32(name.encode()),))

    def torch(self, name):
        state = self.sequence(name).generate_state(1, np.uint64)[0]
        return torch.Generator().manual_seed(int(state >> np.uint64(1)))
