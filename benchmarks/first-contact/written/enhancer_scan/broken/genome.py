"""Random genomic windows; enhancers carry two motifs at a typical distance."""
import numpy as np
import torch

BASES = np.array(list("ACGT"))
MOTIFS = ["TGACTCA", "GATAAG", "CACGTG"]
BUCKETS = (160, 200, 240)


def plant(seq, motif, at, rng, mutation=0.06):
    for i, base in enumerate(motif):
        if rng.random() > mutation:
            seq[at + i] = "ACGT".index(base)


def make_window(length, positive, rng):
    gc = rng.uniform(0.35, 0.6)
    p = [(1 - gc) / 2, gc / 2, gc / 2, (1 - gc) / 2]
    seq = rng.choice(4, size=length, p=p)
    first, second = rng.permutation(len(MOTIFS))[:2]
    start = int(rng.integers(5, length - 80))
    if positive:
        plant(seq, MOTIFS[0], start, rng)
        plant(seq, MOTIFS[1], start + 20 + int(rng.integers(0, 12)), rng)
    elif rng.random() < 0.6:
        plant(seq, MOTIFS[first], start, rng)
        plant(seq, MOTIFS[2 if second != 2 else 0], start + 50, rng)
    return seq


def make_dataset(per_bucket, seed):
    """{length: (one-hot [n, length, 4], label [n])}"""
    rng = np.random.default_rng(seed)
    data = {}
    for length in BUCKETS:
        labels = rng.integers(0, 2, per_bucket)
        seqs = np.stack([make_window(length, bool(y), rng) for y in labels])
        onehot = torch.nn.functional.one_hot(torch.from_numpy(seqs), 4).float()
        data[length] = (onehot, torch.from_numpy(labels).float())
    return data


def batches(data, size, rng):
    """Batches of one length each, buckets mixed."""
    jobs = []
    for length, (x, _) in data.items():
        order = rng.permutation(len(x))
        jobs += [(length, order[i:i + size]) for i in range(0, len(order), size)]
    for j in rng.permutation(len(jobs)):
        length, index = jobs[j]
        x, y = data[length]
        yield x[index], y[index]
