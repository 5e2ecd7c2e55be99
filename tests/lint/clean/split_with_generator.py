import torch
from torch.utils.data import random_split


def split(data, seed):
    return random_split(data, [0.8, 0.2], generator=torch.Generator().manual_seed(seed))
