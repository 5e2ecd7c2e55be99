import logging
import random

import numpy as np
import torch


def start_logging(path):
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s.%(msecs)03d %(message)s",
        datefmt="%H:%M:%S",
        handlers=[logging.StreamHandler(), logging.FileHandler(path)],
    )
    return logging.getLogger("census")


def seed_everything(seed=None):
    """Fix all generators. Without a seed they are left as they are, for exploratory runs."""
    if seed is not None:
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
    return seed
