"""Which draws of a loader's workers are compared with those of the other workers."""

from __future__ import annotations

import re

from samebits.check.trace.reader import Trace

SCRIPT = """
import random
import numpy as np, torch
from torch.utils.data import DataLoader, Dataset, get_worker_info
class Noise(Dataset):
    def __init__(self):
        self.held = np.random.default_rng(0)
        self.python = random.Random(0)
        self.torch = torch.Generator().manual_seed(0)
        self.coin = np.random.default_rng(4)
        self.weighted = np.random.default_rng(5)
        self.late = None
        self.own = None
        self.table = None
        self.other = random.Random(1)
    def __len__(self):
        return 80
    def __getitem__(self, index):
        out = [self.held.normal(size=2).sum()]  # alike
        out += [self.python.random()]  # alike
        out += [torch.rand(2, generator=self.torch).sum()]  # alike
        out += [np.random.rand()]  # alike: worker_init_fn seeds it so
        out += [random.random()]  # apart
        out += [torch.rand(())]  # apart
        self.late = self.late or np.random.default_rng(2)
        out += [self.late.normal()]  # alike
        self.own = self.own or np.random.default_rng([3, get_worker_info().id])
        out += [self.own.normal()]  # apart
        out += [self.coin.integers(2)]  # alike: 32 tosses
        out += [self.weighted.integers(2000) == 1999]  # alike
        out += [self.weighted.binomial(1, 0.0005)]  # little
        for _ in range(4):
            fresh = np.random.default_rng(index % 8)
            out += [fresh.normal() for _ in range(10)]  # little: the sample's own
        self.other.seed(index % 8)
        out += [self.other.random() for _ in range(10)]  # little: the sample's own
        rng = random.Random(9)
        self.table = self.table or [rng.random() for _ in range(100)]  # little: the first batch's
        return float(sum(out)) + self.table[0]
def init(worker):
    np.random.seed(0)
if __name__ == "__main__":
    torch.manual_seed(0)
    for batch in DataLoader(Noise(), batch_size=8, num_workers=2, worker_init_fn=init):
        pass
"""


def test_draws_for_samples_that_workers_share_have_one_digest(scripts):
    script = scripts.write(SCRIPT)
    _, result = scripts.recorded(script)
    found = {}
    for row in Trace.open(result.folder).ledger():
        if row.event == "draw" and row.worker >= 0 and row.site and row.site.file == str(script):
            found.setdefault(row.site.line, {})[row.worker] = row.order_free
    told = {}
    for number, text in enumerate(script.read_text().splitlines(), 1):
        if note := re.search(r"# (alike|apart|little)", text):
            numbers = found[number]
            assert set(numbers) == {0, 1}, text
            little = not any(numbers.values())
            told[text] = "little" if little else "alike" if numbers[0] == numbers[1] else "apart"
            assert told[text] == note[1], text
    assert len(told) == 14
