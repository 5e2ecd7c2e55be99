import argparse
import random

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
arguments = parser.parse_args()
random.seed(arguments.seed)
torch.manual_seed(arguments.seed)
print(random.random(), torch.rand(2))
