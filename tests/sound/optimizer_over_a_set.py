# samebits-test: verdict=same
"""A set of parameters has another order in each run, and the optimizer treats each by itself."""

import torch

torch.manual_seed(0)
body = torch.nn.Sequential(*[torch.nn.Linear(6, 6) for _ in range(8)])
head = torch.nn.Linear(6, 1)
optimizer = torch.optim.Adam(set(body.parameters()) | set(head.parameters()), lr=0.01)
for _ in range(3):
    optimizer.zero_grad()
    loss = head(body(torch.randn(4, 6))).square().mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
