import torch
from elsewhere.helpers import seed_everything

seed_everything(3)
print(torch.rand(1))
