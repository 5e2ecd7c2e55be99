import random
import torch

random.seed(0)
torch.manual_seed(random.randint(0, 2**31))
print(torch.rand(3))
