"""A simulated thermal shift assay with known binders."""

from dataclasses import dataclass

import numpy as np

TEMPERATURES = np.array([37.0, 41.0, 44.0, 47.0, 50.0, 53.0, 56.0, 59.0, 63.0, 67.0])


@dataclass
class Protein:
    index: int
    accession: str
    vehicle: np.ndarray  # replicates x temperatures, soluble fraction relative to 37 C
    treated: np.ndarray
    is_target: bool


def melting_curve(temperature, tm, slope, plateau):
    return plateau + (1.0 - plateau) / (1.0 + np.exp(slope * (temperature - tm)))


def measure(rng, tm, slope, plateau, noise, replicates):
    rows = []
    for _ in range(replicates):
        truth = melting_curve(TEMPERATURES, tm + rng.normal(0.0, 0.25), slope, plateau)
        rows.append(truth + rng.normal(0.0, noise, size=len(TEMPERATURES)))
    return np.stack(rows)


def simulate_assay(count, replicates, seed):
    rng = np.random.default_rng(seed)
    proteins = []
    for index in range(count):
        tm = rng.normal(51.0, 3.0)
        slope = rng.uniform(0.35, 0.80)
        plateau = rng.uniform(0.02, 0.18)
        noise = rng.uniform(0.03, 0.10)
        is_target = index % 4 == 1
        shift = rng.uniform(0.8, 3.5) if is_target else rng.normal(0.0, 0.5)
        vehicle = measure(rng, tm, slope, plateau, noise, replicates)
        treated = measure(rng, tm + shift, slope, plateau, noise, replicates)
        proteins.append(Protein(index, f"SYN{index:05d}", vehicle, treated, is_target))
    return proteins
