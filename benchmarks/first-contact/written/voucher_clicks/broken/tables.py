"""Embedding tables that share a memory budget."""
import os

import torch
from torch import nn

MULT = 2654435761
FLOAT_BYTES = 4


def plan_tables(cfg, fields):
    """Buckets for each field, such that all tables together stay within our share of the host."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    budget = cfg.share * free
    buckets = int(budget // (fields * cfg.dim * FLOAT_BYTES))
    return max(buckets, 4096)


class HashedTables(nn.Module):
    def __init__(self, buckets, fields, dim):
        super().__init__()
        self.buckets = buckets
        self.tables = nn.ModuleList(nn.Embedding(buckets, dim, sparse=True) for _ in range(fields))
        for table in self.tables:
            nn.init.normal_(table.weight, std=0.3)
        self.head = nn.Sequential(nn.Linear(fields * dim + 1, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))

    def bucket(self, ids, field):
        return (ids * MULT + 97 * field).remainder(self.buckets)

    def forward(self, ids):
        parts = [t(self.bucket(ids[:, f], f)) for f, t in enumerate(self.tables)]
        match = (parts[0] * parts[1]).sum(1, keepdim=True)
        return self.head(torch.cat(parts + [match], 1)).squeeze(1)
