"""Batches of fields of similar size, padded to a common multiple of four."""
import numpy as np
import torch

IGNORE = 255


def round_up(n, to=4):
    return -(-n // to) * to


def collate(items):
    h = round_up(max(image.shape[0] for image, _ in items))
    w = round_up(max(image.shape[1] for image, _ in items))
    images = np.empty((len(items), 1, h, w), np.uint8)
    masks = np.full((len(items), h, w), IGNORE, np.uint8)
    for k, (image, mask) in enumerate(items):
        y, x = image.shape
        images[k, 0, :y, :x] = image
        masks[k, :y, :x] = mask
    return torch.from_numpy(images).float() / 255, torch.from_numpy(masks).long()


class Bucketer:
    def __init__(self, data, size, generator=None):
        self.size, self.generator = size, generator
        self.data = sorted(data, key=lambda pair: pair[0].size)

    def __len__(self):
        return -(-len(self.data) // self.size)

    def __iter__(self):
        n = len(self)
        if self.generator is None:
            order = range(n)
        else:
            order = torch.randperm(n, generator=self.generator).tolist()
        for b in order:
            items = self.data[b * self.size:(b + 1) * self.size]
            if self.generator is not None and torch.rand((), generator=self.generator) < 0.5:
                items = [(i[:, ::-1], m[:, ::-1]) for i, m in items]
            yield collate(items)
