"""Soft thresholding with a gradient that also moves the threshold."""
import torch


class Shrink(torch.autograd.Function):
    """y = sign(x) * max(|x| - width, 0), one width per channel."""

    @staticmethod
    def forward(ctx, x, width):
        size = x.abs()
        Shrink.kept = size > width
        ctx.save_for_backward(x)
        return torch.where(Shrink.kept, x - width * x.sign(), torch.zeros_like(x))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        passed = torch.where(Shrink.kept, grad, torch.zeros_like(grad))
        return passed, -(passed * x.sign()).sum(dim=0)


class ShrinkLayer(torch.nn.Module):
    def __init__(self, channels, width=0.05):
        super().__init__()
        self.width = torch.nn.Parameter(torch.full((channels,), width))

    def forward(self, x):
        return Shrink.apply(x, self.width)
