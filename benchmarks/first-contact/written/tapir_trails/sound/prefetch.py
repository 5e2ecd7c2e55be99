"""A background thread that crops and degrades camera-trap frames ahead of the training loop."""
import queue
import threading

import torch

DONE = object()


class Prefetcher:
    def __init__(self, frames, labels, batch, crop, generator, ahead=4):
        self.frames, self.labels = frames, labels
        self.batch, self.crop = batch, crop
        self.generator = generator
        self.queue = queue.Queue(maxsize=ahead)
        self.error = None

    def _augment(self, x):
        g = self.generator
        room = x.shape[-1] - self.crop + 1
        dy, dx = torch.randint(room, (2,), generator=g).tolist()
        x = x[..., dy:dy + self.crop, dx:dx + self.crop]
        flip = torch.rand(len(x), generator=g) < 0.5
        x = torch.where(flip[:, None, None, None], x.flip(-1), x)
        gain = 1.0 + 0.2 * (torch.rand(len(x), 1, 1, 1, generator=g) - 0.5)
        return x * gain + 0.05 * torch.randn(x.shape, generator=g)

    def _work(self):
        try:
            order = torch.randperm(len(self.frames), generator=self.generator)
            for rows in order.split(self.batch):
                self.queue.put((self._augment(self.frames[rows]), self.labels[rows]))
        except Exception as error:
            self.error = error
        finally:
            self.queue.put(DONE)

    def __iter__(self):
        thread = threading.Thread(target=self._work, name="prefetch", daemon=True)
        thread.start()
        while (item := self.queue.get()) is not DONE:
            yield item
        thread.join()
        if self.error is not None:
            raise self.error
