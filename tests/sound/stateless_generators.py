# samebits-test: verdict=same
"""Counter-based bit generators, keyed by step."""

import numpy as np
import torch
from numpy.random import Generator, Philox

noise = [Generator(Philox(key=step)).normal(size=4) for step in range(5)]
print(torch.from_numpy(np.stack(noise)).cov().trace())
