import torch


class Noise:
    def __init__(self, seed, device):
        self.generator = torch.Generator(device=device).manual_seed(seed)

    def __call__(self, shape):
        return torch.randn(shape, generator=self.generator)
