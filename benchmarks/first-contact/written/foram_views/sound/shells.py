"""Draws shells of foraminifera: chambers along a spiral, under a microscope that is never quite in focus."""
import math

import torch

SIZE = 24
AXIS = torch.linspace(-1, 1, SIZE)
YY, XX = torch.meshgrid(AXIS, AXIS, indexing="ij")


def shell(index):
    g = torch.Generator().manual_seed(9000 + index)
    chambers = int(torch.randint(3, 40, (), generator=g))
    growth, turn, width = torch.rand(3, generator=g).tolist()
    image = torch.zeros(SIZE, SIZE)
    for n in range(chambers):
        share = (n + 1) / chambers
        angle = n * (0.5 + 0.5 * turn)
        radius = 0.7 * share ** (0.6 + growth)
        cx, cy = radius * math.cos(angle), radius * math.sin(angle)
        spread = 0.004 + 0.03 * share * (0.5 + width)
        bump = torch.exp(-((XX - cx) ** 2 + (YY - cy) ** 2) / spread)
        image = torch.maximum(image, bump * (0.5 + 0.5 * share))
    return image, chambers


def view(image, g):
    """One look at a shell: turned, lit and focused anew."""
    turns, flip = torch.randint(0, 4, (), generator=g), torch.rand((), generator=g) < 0.5
    image = torch.rot90(image, int(turns))
    image = image.flip(0) if flip else image
    for _ in range(int(torch.randint(0, 6, (), generator=g))):
        image = torch.nn.functional.avg_pool2d(image[None, None], 3, 1, 1)[0, 0]
    gain, level = 0.7 + 0.6 * torch.rand(2, generator=g)
    return gain * image + 0.1 * level + 0.05 * torch.randn(SIZE, SIZE, generator=g)
