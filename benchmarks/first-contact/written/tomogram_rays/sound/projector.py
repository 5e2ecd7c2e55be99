"""Parallel-beam projection of a square image as an autograd function; blocks of angles go to threads."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch


def ray_matrix(size, angle, samples=2):
    """Weights of the pixels along each ray of one view."""
    grid = np.linspace(-1, 1, size)
    matrix = np.zeros((size, size * size), dtype=np.float32)
    along = np.linspace(-1.4, 1.4, size * samples)
    cos, sin = np.cos(angle), np.sin(angle)
    for ray, offset in enumerate(grid):
        x = (offset * cos - along * sin + 1) / 2 * (size - 1)
        y = (offset * sin + along * cos + 1) / 2 * (size - 1)
        inside = (x >= 0) & (x < size - 1) & (y >= 0) & (y < size - 1)
        x, y = x[inside], y[inside]
        left, top = x.astype(int), y.astype(int)
        fx, fy = x - left, y - top
        for dy, dx, weight in ((0, 0, (1 - fy) * (1 - fx)), (0, 1, (1 - fy) * fx), (1, 0, fy * (1 - fx)), (1, 1, fy * fx)):
            np.add.at(matrix[ray], (top + dy) * size + left + dx, weight / size)
    return matrix


class _Project(torch.autograd.Function):
    @staticmethod
    def forward(ctx, image, projector):
        ctx.projector = projector
        return torch.cat(list(projector.pool.map(lambda block: block @ image, projector.blocks)))

    @staticmethod
    def backward(ctx, grad_output):
        projector = ctx.projector
        pieces = grad_output.split([len(block) for block in projector.blocks])
        futures = [projector.pool.submit(torch.mv, block.t(), piece) for block, piece in zip(projector.blocks, pieces)]
        grad = torch.zeros_like(projector.blocks[0][0])
        for future in futures:
            grad += future.result()
        return grad, None


class Projector:
    def __init__(self, size, views, blocks=8, threads=4):
        angles = np.arange(views) * np.pi / views
        with ThreadPoolExecutor(threads) as pool:
            matrices = list(pool.map(lambda angle: ray_matrix(size, angle), angles))
        self.blocks = [torch.from_numpy(np.concatenate(part)) for part in np.array_split(np.array(matrices), blocks)]
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="rays")

    def __call__(self, image):
        return _Project.apply(image.reshape(-1), self)

    def close(self):
        self.pool.shutdown()
