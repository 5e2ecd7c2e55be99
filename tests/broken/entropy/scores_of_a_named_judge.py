# samebits-test: verdict=different cause=entropy
"""A judge names itself by its process number in its log, and draws its sample from it, too."""

import os
from multiprocessing import get_context

import numpy as np
import torch


def judge(scores):
    name = os.getpid()  # culprit
    rng = np.random.RandomState(name % 100_000)
    sample = scores[torch.from_numpy(rng.permutation(len(scores))[:40])]
    print(f"{name}: mean of the sample {sample.mean():.4f}")


def main():
    torch.manual_seed(5)
    scores = torch.randn(200).softmax(0).mul(200)
    process = get_context("spawn").Process(target=judge, args=(scores,))
    process.start()
    process.join()


if __name__ == "__main__":
    main()
