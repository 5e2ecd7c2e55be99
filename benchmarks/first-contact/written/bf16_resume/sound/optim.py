import torch
from torch.optim import Optimizer


class NoisyLion(Optimizer):
    """Lion with a little annealed gradient noise, drawn from a generator of its own."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0, noise=0.0, seed=0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay, noise=noise))
        self.generator = torch.Generator().manual_seed(seed)

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["m"] = torch.zeros_like(p)
                    state["t"] = 0
                state["t"] += 1
                grad = p.grad
                if group["noise"]:
                    scale = group["noise"] / (1 + state["t"]) ** 0.55
                    grad = grad + scale * torch.randn(p.shape, generator=self.generator)
                update = (b1 * state["m"] + (1 - b1) * grad).sign_()
                p.mul_(1 - group["lr"] * group["weight_decay"]).add_(update, alpha=-group["lr"])
                state["m"].lerp_(grad, 1 - b2)
