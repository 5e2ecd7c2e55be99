"""Products that are computed in tiles of the inner dimension, and the choice of the tile."""

import time

import torch

TILES = tuple(range(80, 107, 2))


class TiledProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, tile):
        ctx.save_for_backward(x, weight)
        out = x.new_zeros(x.shape[0], weight.shape[0])
        for lo in range(0, x.shape[1], tile):
            out.addmm_(x[:, lo:lo + tile], weight[:, lo:lo + tile].T)
        return out

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad @ weight, grad.T @ x, None


def seconds(rows, inner, outer, tile, repeats=2):
    x, weight = torch.ones(rows, inner), torch.ones(outer, inner)
    TiledProduct.apply(x, weight, tile)
    began = time.perf_counter()
    for _ in range(repeats):
        TiledProduct.apply(x, weight, tile)
    return (time.perf_counter() - began) / repeats


class Planner:
    """Chooses a tile for each layer when it is first built and remembers it by the layer's name."""

    def __init__(self, rows):
        self.rows = rows
        self.plan = {}
        self.timings = {}

    def tile_for(self, name, inner, outer):
        if name not in self.plan:
            timings = {t: seconds(self.rows, inner, outer, t) for t in TILES}
            self.timings[name] = timings
            self.plan[name] = min(timings, key=timings.get)
        return self.plan[name]

    def report(self):
        for name, timings in self.timings.items():
            tile = self.plan[name]
            yield f"{name}: {timings[tile] * 1e6:.0f} us"
