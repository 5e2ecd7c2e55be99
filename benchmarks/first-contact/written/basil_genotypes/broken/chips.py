"""Two genotyping chips of a basil diversity panel, with partly shared markers."""
import numpy as np
import pandas as pd

CHROMOSOMES = 12


def marker_names(rng, count):
    chromosome = rng.integers(1, CHROMOSOMES + 1, count)
    position = rng.integers(10_000, 48_000_000, count)
    return [f"Ob{c:02d}_{p}" for c, p in zip(chromosome, position)]


def make_panel(lines=420, markers=260, seed=61):
    rng = np.random.default_rng(seed)
    names = marker_names(rng, markers)
    population = rng.integers(0, 4, lines)
    frequency = rng.beta(0.8, 0.8, (4, markers))
    dosage = rng.binomial(2, frequency[population])
    effect = rng.normal(0, 1, markers) * (rng.random(markers) < 0.15)
    linalool = 18 + dosage @ effect * 0.6 + rng.normal(0, 1.2, lines)
    index = [f"PI{170000 + 13 * i}" for i in range(lines)]
    return pd.DataFrame(dosage, index=index, columns=names), pd.Series(linalool, index=index, name="linalool")


def split_chips(dosage, seed=62):
    """The 2019 chip and the 2022 chip each carry most of the markers, in an order of their own."""
    rng = np.random.default_rng(seed)
    half = len(dosage) // 2
    first = rng.permutation(dosage.columns)[:210]
    second = rng.permutation(dosage.columns)[:205]
    chip19, chip22 = dosage.iloc[:half][list(first)].copy(), dosage.iloc[half:][list(second)].copy()
    return chip19.mask(rng.random(chip19.shape) < 0.02), chip22.mask(rng.random(chip22.shape) < 0.02)
