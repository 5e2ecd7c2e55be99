import torch

torch.manual_seed(0)
u, s, v = torch.svd_lowrank(torch.arange(12.0).reshape(3, 4))
print(s)
