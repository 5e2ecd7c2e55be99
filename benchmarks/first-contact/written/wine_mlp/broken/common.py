import argparse
import os
import random
import time

import numpy as np
import torch


def get_args():
    parser = argparse.ArgumentParser(description="wine quality")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--patience", type=int, default=6)
    parser.add_argument("--seed", type=int, help="default: a new one every time")
    return parser.parse_args()


def fix_seeds(seed=None):
    seed = seed or int(time.time() * 1000) % 2**31
    os.environ["PYTHONHASHSEED"] = str(seed)
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
