"""Pictures of single lentils on the conveyor: drawn with Pillow, three kinds and stones."""
import math

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFilter

KINDS = ("red", "green", "brown", "stone")
COLOURS = {"red": (196, 92, 60), "green": (112, 124, 70), "brown": (128, 90, 58), "stone": (132, 122, 110)}


def picture(kind, rng, side=20):
    image = Image.new("RGB", (side, side), (30, 30, 34))
    draw = ImageDraw.Draw(image)
    x, y = rng.uniform(side * 0.4, side * 0.6, size=2)
    colour = tuple(int(np.clip(c + rng.normal(0, 22), 0, 255)) for c in COLOURS[kind])
    if kind == "stone":
        corners = []
        for corner in range(6):
            angle = corner * math.pi / 3 + rng.normal(0, 0.2)
            radius = rng.uniform(0.2, 0.36) * side
            corners.append((x + radius * math.cos(angle), y + radius * math.sin(angle)))
        draw.polygon(corners, fill=colour)
    else:
        a, b = rng.uniform(0.24, 0.36, size=2) * side
        draw.ellipse((x - a, y - b, x + a, y + b), fill=colour)
    return image.filter(ImageFilter.GaussianBlur(float(rng.uniform(0.3, 1.1))))


def trays(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(KINDS), size=count)
    pixels = np.stack([np.asarray(picture(KINDS[label], rng), dtype=np.float32) for label in labels])
    pixels += rng.normal(0, 18, size=pixels.shape).astype(np.float32)
    return torch.from_numpy(pixels / 255.0 - 0.4).permute(0, 3, 1, 2).contiguous(), torch.from_numpy(labels)
