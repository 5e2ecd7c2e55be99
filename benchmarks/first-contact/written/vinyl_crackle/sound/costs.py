"""What each candidate filter costs, for the search's budget term."""
import time

import torch


def milliseconds(op, sample, repeats=12):
    with torch.no_grad():
        for _ in range(3):
            op(sample)
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            op(sample)
            times.append(time.perf_counter() - start)
    return 1000.0 * sorted(times)[repeats // 2]


def macs(op, sample):
    weights = sum(p.numel() for p in op.parameters() if p.dim() > 1)
    return weights * sample.shape[-1]


def cost_table(ops, sample):
    """Relative cost of every candidate; the dearest has 1."""
    raw = torch.tensor([float(macs(op, sample)) for op in ops])
    for op, value in zip(ops, raw.tolist()):
        print(f"  {op.label:<8} {value:12.0f} MACs  ({milliseconds(op, sample):.3f} ms here)")
    return raw / raw.max()
