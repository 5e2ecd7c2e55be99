import torch

generator = torch.Generator()
generator.manual_seed(1)
print(torch.rand(2, generator=generator))
