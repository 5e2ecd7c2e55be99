import numpy as np
import torch

out = torch.empty(4)
torch.add(torch.ones(4), 1, out=out)
buffer = np.empty(3)
buffer[:] = 1.0
weight = torch.nn.Parameter(torch.empty(2, 2))
torch.nn.init.zeros_(weight)
values = torch.empty(3).fill_(2.0) + 1
nothing = torch.empty(0) + 1
print(out + 1, buffer + 1)
