import math

import torch


@torch.no_grad()
def ranking_metrics(model, train, held_out, k=10):
    users = sorted(held_out)
    scores = model.scores(torch.tensor(users))
    scores[torch.from_numpy(train[:, 0].copy()), torch.from_numpy(train[:, 1].copy())] = -torch.inf
    top = scores.topk(k).indices
    hr = ndcg = 0.0
    for row, u in zip(top.tolist(), users):
        if held_out[u] in row:
            hr += 1
            ndcg += 1 / math.log2(row.index(held_out[u]) + 2)
    return {"hr": hr / len(users), "ndcg": ndcg / len(users)}
