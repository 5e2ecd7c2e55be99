import random

import numpy as np
import torch

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
print(random.random(), np.random.rand(), torch.rand(1))
