import copy
from concurrent.futures import ThreadPoolExecutor

import torch


@torch.no_grad()
def neighbour_table(encoder, abstracts, claims, k):
    """The k claims nearest to every abstract, its own left out."""
    keys = torch.cat([encoder(part) for part in claims.split(64)])
    near = []
    for start in range(0, len(abstracts), 40):
        part = abstracts[start : start + 40]
        scores = encoder(part) @ keys.T
        own = torch.arange(start, start + len(part)).unsqueeze(1)
        scores.scatter_(1, own, -1.0)
        near.append(scores.topk(k, dim=1).indices)
    return torch.cat(near)


class NegativeMiner:
    def __init__(self, encoder, abstracts, claims, every, k=24):
        self.abstracts, self.claims = abstracts, claims
        self.every, self.k = every, k
        self.pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="miner")
        self.table = neighbour_table(self._snapshot(encoder), abstracts, claims, k)
        self.pending = None
        self.started = 0

    @staticmethod
    def _snapshot(encoder):
        return copy.deepcopy(encoder).eval()

    def update(self, encoder, step):
        if self.pending is None:
            if step - self.started >= self.every:
                self.pending = self.pool.submit(
                    neighbour_table, self._snapshot(encoder), self.abstracts, self.claims, self.k
                )
                self.started = step
        elif self.pending.done():
            self.table = self.pending.result()
            self.pending = None

    def negatives(self, rows, n, generator):
        column = torch.randint(self.k, (len(rows), n), generator=generator)
        return self.table[rows].gather(1, column)

    def close(self):
        self.pool.shutdown()
