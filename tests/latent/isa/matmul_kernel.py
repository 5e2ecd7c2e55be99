# samebits-test: vary=isa cause=isa
"""Products of matrices, with the widest instructions there are."""

import torch


def build():
    torch.manual_seed(0)
    return torch.rand(300, 50).requires_grad_(), torch.rand(100, 300)


if __name__ == "__main__":
    weight, features = build()
    optimizer = torch.optim.SGD([weight], lr=0.01)
    for _ in range(2):
        loss = (features @ weight).square().mean()  # culprit
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
