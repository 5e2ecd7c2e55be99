"""Loads, augments and collates batches in a background thread."""
import queue
import threading

import torch
import torch.nn.functional as F


def shift(image, pixels=2):
    padded = F.pad(image, (pixels,) * 4)
    dy, dx = torch.randint(0, 2 * pixels + 1, (2,)).tolist()
    return padded[:, dy:dy + image.shape[1], dx:dx + image.shape[2]]


def contrast(image):
    gain = 0.7 + 0.6 * torch.rand(())
    return (image - image.mean()) * gain + image.mean()


def erase(image, p=0.5):
    if torch.rand(()) > p:
        return image
    return image * (torch.rand_like(image) > 0.2)


class BackgroundLoader:
    def __init__(self, images, labels, batch_size, depth=4, transforms=(shift, contrast, erase)):
        self.images, self.labels = images, labels
        self.batch_size, self.depth = batch_size, depth
        self.transforms = transforms

    def __len__(self):
        return len(self.images) // self.batch_size

    def augment(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image

    def _produce(self, order, out):
        for idx in order.split(self.batch_size):
            out.put((torch.stack([self.augment(self.images[k]) for k in idx]), self.labels[idx]))
        out.put(None)

    def __iter__(self):
        out = queue.Queue(maxsize=self.depth)
        order = torch.randperm(len(self.images))[: len(self) * self.batch_size]
        thread = threading.Thread(target=self._produce, args=(order, out), daemon=True)
        thread.start()
        while (item := out.get()) is not None:
            yield item
        thread.join()
