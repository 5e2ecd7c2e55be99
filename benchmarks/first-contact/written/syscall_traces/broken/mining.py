"""Hard example mining: traces that the detector gets wrong are drawn more often."""
import torch
from torch.utils.data import Sampler

from caching import ttl_cache


@ttl_cache(seconds=0.15)
@torch.no_grad()
def difficulty(model, traces, labels):
    """Loss of every trace, as weights to draw by. A pass over the archive is dear, so not done for each batch."""
    was_training = model.training
    model.eval()
    losses = [
        torch.nn.functional.binary_cross_entropy_with_logits(model(x), y, reduction="none")
        for x, y in zip(traces.split(256), labels.split(256))
    ]
    model.train(was_training)
    return torch.cat(losses).add_(0.05)


class HardBatchSampler(Sampler):
    def __init__(self, model, traces, labels, batch_size, batches, seed):
        self.model, self.traces, self.labels = model, traces, labels
        self.batch_size, self.batches = batch_size, batches
        self.generator = torch.Generator().manual_seed(seed)

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            weights = difficulty(self.model, self.traces, self.labels)
            yield torch.multinomial(weights, self.batch_size, replacement=False,
                                    generator=self.generator).tolist()
