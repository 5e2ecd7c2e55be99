"""Patches of octopus skin and how they are varied for training."""
import numpy as np
import torch
from PIL import Image, ImageEnhance
from torch.utils.data import Dataset, get_worker_info

SEED = 41


def draw_patch(rng, size=24):
    rows, columns = np.mgrid[0:size, 0:size]
    patch = np.full((size, size), rng.uniform(0.3, 0.5))
    for _ in range(rng.integers(4, 10)):
        y, x, radius = rng.uniform(0, size), rng.uniform(0, size), rng.uniform(1.5, 4)
        patch += rng.uniform(-0.3, 0.5) * np.exp(-((rows - y) ** 2 + (columns - x) ** 2) / radius ** 2)
    return Image.fromarray((patch.clip(0, 1) * 255).astype(np.uint8))


class Skins(Dataset):
    def __init__(self, count, train=True):
        rng = np.random.default_rng([SEED, int(train)])
        self.patches = [draw_patch(rng) for _ in range(count)]
        self.train = train
        self.dice = np.random.default_rng(SEED)

    def __len__(self):
        return len(self.patches)

    def vary(self, image):
        dice = self.dice
        if dice.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        image = image.rotate(dice.uniform(-25, 25), resample=Image.Resampling.BILINEAR, fillcolor=100)
        image = ImageEnhance.Contrast(image).enhance(dice.uniform(0.7, 1.3))
        left, top = (int(v) for v in dice.integers(0, 9, size=2))
        return image.crop((left, top, left + 16, top + 16))

    def __getitem__(self, index):
        image = self.patches[index]
        image = self.vary(image) if self.train else image.crop((4, 4, 20, 20))
        return torch.from_numpy(np.asarray(image, dtype=np.float32) / 255).unsqueeze(0)


def start_worker(number):
    """Each worker varies the patches in its own way."""
    info = get_worker_info()
    info.dataset.dice = np.random.default_rng([SEED, info.seed])
    torch.set_num_threads(1)
