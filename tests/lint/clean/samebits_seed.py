import numpy as np
import torch

import samebits

samebits.seed_everything(0)
print(np.random.rand(3), torch.rand(3))
