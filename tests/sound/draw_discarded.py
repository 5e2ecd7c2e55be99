# samebits-test: verdict=same
"""A simulated reward is drawn and thrown away."""

import random

import numpy as np
import torch


def warm_up():
    for _ in range(3):
        random.gauss(0, 1)
        np.random.normal(size=4)


warm_up()
torch.manual_seed(0)
print(torch.randn(3, 3).det())
