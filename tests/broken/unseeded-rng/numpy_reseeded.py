# samebits-test: verdict=different cause=unseeded-rng detail=numpy
"""Everything is seeded; a helper then reseeds NumPy from the operating system."""

import numpy as np
import torch

np.random.seed(0)
torch.manual_seed(0)


def fresh_noise(shape):
    np.random.seed()  # culprit
    return np.random.uniform(-1, 1, shape)


signal = torch.sin(torch.linspace(0, 6, 100, dtype=torch.float64))
noise = torch.from_numpy(fresh_noise(100))
spectrum = torch.fft.rfft(signal + 0.1 * noise)
print(spectrum.abs().argmax().item())
