import torch
from utils import prepare

prepare(0)
print(torch.rand(3))
