# samebits-test: verdict=same
"""A seed from the environment, with a constant where there is none."""

import os

import torch

torch.manual_seed(int(os.environ.get("EXPERIMENT_SEED", "8")))
print(torch.randperm(10))
