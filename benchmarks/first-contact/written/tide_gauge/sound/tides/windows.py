import numpy as np
import torch


class Windows:
    """Sliding windows (context x channels) with the value `horizon` hours past their end."""

    def __init__(self, values, target, context, horizon):
        n = len(values) - context - horizon + 1
        view = np.lib.stride_tricks.sliding_window_view(values, context, axis=0)[:n]
        self.x = torch.from_numpy(np.ascontiguousarray(view.transpose(0, 2, 1)))
        self.y = torch.from_numpy(np.ascontiguousarray(target[context + horizon - 1:][:n], dtype=np.float32))

    def __len__(self):
        return len(self.x)

    def batches(self, size, generator=None):
        order = torch.arange(len(self)) if generator is None else torch.randperm(len(self), generator=generator)
        for part in order.split(size):
            yield self.x[part], self.y[part]
