import random
import torch


class ImagePool:
    def __init__(self, size):
        self.size = size
        self.images = []

    def query(self, images):
        out = []
        for im in images:
            if random.uniform(0, 1) > 0.5:
                i = random.randint(0, self.size - 1)
                out.append(self.images[i])
        return torch.cat(out)
