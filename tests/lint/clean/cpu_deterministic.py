import torch

torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
print(torch.rand(3) @ torch.rand(3))
