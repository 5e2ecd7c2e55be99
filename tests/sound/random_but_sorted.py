# samebits-test: verdict=same
"""An unseeded shuffle that a sort undoes before anyone looks."""

import random

import torch

jobs = list(range(20))
random.shuffle(jobs)
results = sorted((job, 1 / (job + 1)) for job in jobs)
print(torch.tensor([value for _, value in results]).cumsum(0)[-1])
