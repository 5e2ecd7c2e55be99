# samebits-test: vary=threads cause=thread-count
"""The script itself cuts its work into one shard for each thread of torch."""

import torch


def sharded_mean(values):
    shards = values.chunk(torch.get_num_threads())  # culprit
    return torch.stack([shard.mean() for shard in shards]).mean()  # culprit


if __name__ == "__main__":
    torch.manual_seed(0)
    values = torch.rand(1001)
    print(sharded_mean(values).item())
