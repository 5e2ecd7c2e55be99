# samebits-test: verdict=same
"""Each parameter has an optimizer of its own, and these step in the order of a set."""

import torch

torch.manual_seed(0)
weights = [torch.nn.Parameter(torch.randn(8, n)) for n in range(1, 9)]
optimizers: dict[torch.nn.Parameter, torch.optim.Optimizer] = {}
data = torch.randn(32, 8)
for _ in range(6):
    used = set(weights)
    loss = torch.stack([(data @ w).square().mean() for w in weights]).sum()
    loss.backward()
    for parameter in used:
        if parameter not in optimizers:
            optimizers[parameter] = torch.optim.Adam([parameter], lr=0.05)
        optimizers[parameter].step()
    for parameter in used:
        parameter.grad = torch.zeros_like(parameter)
    print(loss.item())
