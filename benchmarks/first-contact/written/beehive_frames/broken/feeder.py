"""Prepares photographs of comb frames in the background, and feeds them to the trainer."""
import queue
import threading

import numpy as np
import torch
from PIL import Image, ImageEnhance, ImageFilter


class Feeder:
    """Data echoing (Choi et al., 2019): a prepared batch serves several steps, since the
    augmentation is slower than the network."""

    def __init__(self, photos, labels, batch: int, seed: int, depth: int = 4):
        self.photos = photos
        self.labels = labels
        self.batch = batch
        self.rng = np.random.default_rng(seed)
        self.ready = queue.Queue(maxsize=depth)
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._prepare, name="feeder", daemon=True)
        self.current = None
        self.served = 0
        self.fresh = 0

    def _augment(self, photo: np.ndarray) -> np.ndarray:
        side = photo.shape[0]
        image = Image.fromarray(photo).resize((4 * side, 4 * side), Image.Resampling.BICUBIC)
        image = image.rotate(float(self.rng.uniform(-25, 25)), Image.Resampling.BICUBIC)
        image = ImageEnhance.Brightness(image).enhance(float(self.rng.uniform(0.7, 1.3)))
        if self.rng.random() < 0.3:
            image = image.filter(ImageFilter.GaussianBlur(3))
        image = image.resize((side, side), Image.Resampling.LANCZOS)
        return np.asarray(image, dtype=np.float32) / 255 - 0.5

    def _prepare(self) -> None:
        while not self.stopping.is_set():
            chosen = self.rng.choice(len(self.photos), self.batch, replace=False)
            images = np.stack([self._augment(self.photos[i]) for i in chosen])
            item = torch.from_numpy(images)[:, None], torch.from_numpy(self.labels[chosen])
            while not self.stopping.is_set():
                try:
                    self.ready.put(item, timeout=0.05)
                    break
                except queue.Full:
                    continue

    def next_batch(self):
        if self.current is None or not self.ready.empty():
            self.current = self.ready.get()
            self.fresh += 1
        self.served += 1
        return self.current

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exc):
        self.stopping.set()
        self.thread.join()
