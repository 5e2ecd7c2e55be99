# samebits-test: verdict=same
"""as_completed fills a dict, and the dict is read by its sorted keys."""

from concurrent.futures import ThreadPoolExecutor, as_completed

import torch


def score(fold):
    return sum((fold + 1) / (k + 1) for k in range(200))


scores = {}
with ThreadPoolExecutor(4) as pool:
    fold_of = {pool.submit(score, fold): fold for fold in range(30)}
    for future in as_completed(fold_of):
        scores[fold_of[future]] = future.result()
x = torch.tensor([scores[fold] for fold in sorted(scores)])
print(x.cumsum(0)[-1])
