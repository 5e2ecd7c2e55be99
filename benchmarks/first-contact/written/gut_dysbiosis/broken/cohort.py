"""A simulated cohort: counts of bacterial taxa in stool samples, with and without inflammatory bowel disease."""
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass
class Cohort:
    counts: pd.DataFrame        # sample x taxon
    disease: pd.Series
    centre: pd.Series


def simulate_cohort(samples=420, taxa=300, markers=25, seed=2024):
    rng = np.random.default_rng(seed)
    base = rng.normal(0, 1.6, taxa)
    shift = np.zeros(taxa)
    shift[rng.choice(taxa, markers, replace=False)] = rng.normal(0, 0.9, markers)
    disease = rng.integers(0, 2, samples)
    centre = rng.integers(0, 3, samples)
    by_centre = rng.normal(0, 0.5, (3, taxa))
    levels = base + disease[:, None] * shift + by_centre[centre] + rng.normal(0, 1.0, (samples, taxa))
    share = np.exp(levels)
    share /= share.sum(1, keepdims=True)
    depth = rng.integers(4_000, 20_000, samples)
    counts = np.stack([rng.multinomial(d, p) for d, p in zip(depth, share)])
    names = [f"S{number:04d}" for number in rng.permutation(samples)]
    table = pd.DataFrame(counts, index=names, columns=[f"taxon_{t:03d}" for t in range(taxa)]).sort_index()
    return Cohort(table, pd.Series(disease, names).loc[table.index], pd.Series(centre, names).loc[table.index])
