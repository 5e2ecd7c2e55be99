# samebits-test: vary=clock cause=clock
"""Records older than a thousand days are left out."""

from datetime import datetime, timedelta

import torch


class Records:
    def __init__(self, since):
        start = datetime(since, 1, 1)
        self.rows = [(start + timedelta(days=50 * k), k * 0.1) for k in range(400)]

    def recent(self):
        limit = datetime.now() - timedelta(days=1000)  # culprit
        return [value for when, value in self.rows if when.date() > limit.date()]


values = torch.tensor(Records(since=1990).recent())
print(len(values), values.mean().item())
