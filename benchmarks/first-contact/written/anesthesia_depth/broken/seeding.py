"""Random numbers: one seed for the run, and generators of their own for parts of it.

Parts of the program that draw an unforeseeable number of times get their own numpy generator, so that
switching such a part off or on does not change what the others draw.
"""
import random
import zlib

import numpy as np
import torch


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def generator_for(purpose):
    """A generator that depends on the seed of the run and on what it is for."""
    seed = torch.seed() % 2**32
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])
