import torch

for seed in range(5):
    torch.manual_seed(seed)
    print(seed, torch.rand(1).item())
