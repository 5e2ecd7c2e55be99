"""Batches are rendered by a thread into a small ring of preallocated arrays."""
import queue
import threading

import numpy as np
import torch

from patches import SIZE, render_batch


class RingFeeder:
    def __init__(self, batch, seed, slots=3):
        self.seed = seed
        self.images = np.zeros((slots, batch, 1, SIZE, SIZE), dtype=np.float32)
        self.labels = np.zeros((slots, batch), dtype=np.int64)
        self.free, self.ready = queue.Queue(), queue.Queue()
        for slot in range(slots):
            self.free.put(slot)

    def _render(self, epoch, batches):
        for number in range(batches):
            slot = self.free.get()
            rng = np.random.default_rng((self.seed, epoch, number))
            render_batch(rng, self.images[slot], self.labels[slot])
            self.ready.put(slot)

    def epoch(self, epoch, batches):
        """Yields tensors that share memory with the ring: no copying for each batch."""
        thread = threading.Thread(target=self._render, args=(epoch, batches), daemon=True)
        thread.start()
        for _ in range(batches):
            slot = self.ready.get()
            yield torch.from_numpy(self.images[slot]), torch.from_numpy(self.labels[slot])
            self.free.put(slot)
        thread.join()
