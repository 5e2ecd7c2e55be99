"""A background thread that decodes and augments batches ahead of training."""
import io
import queue
import threading

import numpy as np
import torch
from PIL import Image

END = object()


class Prefetcher:
    """Iterates once over `blobs` (encoded images) in shuffled batches of `batch_size`."""

    def __init__(self, blobs, labels, batch_size, size=32, depth=2, seed=0):
        self.blobs = blobs
        self.labels = np.asarray(labels)
        self.size = size
        self.rng = np.random.default_rng(seed)
        self.batches = np.array_split(self.rng.permutation(len(blobs)), len(blobs) // batch_size)
        longest = max(len(b) for b in self.batches)
        self.pixels = np.empty((longest, 3, size, size), np.float32)
        self.ready = queue.Queue(maxsize=depth)
        self.thread = threading.Thread(target=self._work, name="prefetch", daemon=True)

    def _decode(self, blob, out):
        image = Image.open(io.BytesIO(blob)).convert("RGB")
        left, top = self.rng.integers(0, image.width - self.size + 1, 2)
        image = image.crop((left, top, left + self.size, top + self.size))
        if self.rng.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        out[:] = np.asarray(image, np.float32).transpose(2, 0, 1)
        out -= 127.5
        out /= 64.0

    def _work(self):
        try:
            for chosen in self.batches:
                for row, index in enumerate(chosen):
                    self._decode(self.blobs[index], self.pixels[row])
                images = torch.from_numpy(self.pixels[: len(chosen)])
                targets = torch.from_numpy(self.labels[chosen])
                self.ready.put((images, targets))
        except Exception as problem:
            self.ready.put(problem)
        self.ready.put(END)

    def __iter__(self):
        self.thread.start()
        while (item := self.ready.get()) is not END:
            if isinstance(item, Exception):
                raise item
            yield item
        self.thread.join()
