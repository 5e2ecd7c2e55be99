# samebits-test: verdict=same
"""Numbers from unseeded generators, for a greeting."""

import random

import numpy as np
import torch

GREETINGS = ["hello", "good day", "welcome back"]
print(random.choice(GREETINGS), np.random.randint(1000))
print(torch.linspace(-1, 1, 11).tanh().sum())
