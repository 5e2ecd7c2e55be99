"""Ink strokes drawn on the fly, smudged more and more as training goes on."""
import math
import multiprocessing as mp

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch.utils.data import Dataset

KINDS = ("line", "hook", "arc", "dot", "cross")


def draw(kind, angle, size=28):
    image = Image.new("L", (size, size), 255)
    pen = ImageDraw.Draw(image)
    c, r = size / 2, size / 3
    dx, dy = r * math.cos(angle), r * math.sin(angle)
    if kind == "line":
        pen.line((c - dx, c - dy, c + dx, c + dy), fill=0, width=3)
    elif kind == "hook":
        pen.line((c - dx, c - dy, c + dx, c + dy, c + dx - dy / 2, c + dy + dx / 2), fill=0, width=3)
    elif kind == "arc":
        start = math.degrees(angle)
        pen.arc((c - r, c - r, c + r, c + r), start, start + 200, fill=0, width=3)
    elif kind == "dot":
        pen.ellipse((c + dx / 3 - 4, c + dy / 3 - 4, c + dx / 3 + 4, c + dy / 3 + 4), fill=0)
    else:
        pen.line((c - dx, c - dy, c + dx, c + dy), fill=0, width=2)
        pen.line((c + dy, c - dx, c - dy, c + dx), fill=0, width=2)
    return image


class StrokeDataset(Dataset):
    """`epoch` and `served` are shared with the loader's workers."""

    def __init__(self, length, epochs):
        self.length = length
        self.epochs = epochs
        self.epoch = mp.Value("i", 0)
        self.served = mp.Value("i", 0)

    def __len__(self):
        return self.length

    def start_epoch(self, epoch):
        self.epoch.value = epoch

    def smudge(self, x, strength):
        blot = torch.rand(x.shape) < 0.25 * strength
        x = torch.where(blot, torch.rand(x.shape), x)
        return (x + 0.2 * strength * torch.randn(x.shape)).clamp(0, 1)

    def __getitem__(self, index):
        label = index % len(KINDS)
        image = draw(KINDS[label], math.tau * ((index * 37) % 360) / 360)
        with self.served.get_lock():
            self.served.value += 1
        strength = min(1.0, self.epoch.value / (self.epochs - 1))
        x = torch.from_numpy(np.asarray(image, dtype=np.float32) / 255)[None]
        return self.smudge(x, strength), label
