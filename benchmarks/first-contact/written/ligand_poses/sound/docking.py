"""A Metropolis search for the best pose of each ligand in a pocket, spread over processes."""
import multiprocessing
from dataclasses import dataclass

import numpy as np

_pocket = None


@dataclass(frozen=True)
class Ligand:
    number: int
    atoms: np.ndarray
    charges: np.ndarray


@dataclass
class Pose:
    number: int
    energy: float
    accepted: int
    shift: np.ndarray


def library(count, seed):
    rng = np.random.default_rng(seed)
    ligands = []
    for number in range(count):
        size = int(rng.integers(5, 14))
        ligands.append(Ligand(number, rng.normal(size=(size, 3)), rng.normal(scale=0.4, size=size)))
    return ligands


def make_pocket(seed):
    rng = np.random.default_rng(seed)
    sites = rng.normal(size=(24, 3))
    sites *= 4.0 / np.linalg.norm(sites, axis=1, keepdims=True)
    return sites, rng.normal(scale=0.5, size=24)


def _start(pocket):
    global _pocket
    _pocket = pocket


def _energy(atoms, charges):
    sites, site_charges = _pocket
    gap = np.sqrt(((atoms[:, None] - sites[None]) ** 2).sum(-1)) + 0.3
    near = (1.5 / gap) ** 6
    return float((near * near - near).sum() + (charges[:, None] * site_charges[None] / gap).sum())


def _dock(job):
    ligand, sweeps, seed = job
    rng = np.random.default_rng([seed, ligand.number])
    shift = np.zeros(3)
    energy = best = _energy(ligand.atoms, ligand.charges)
    accepted, best_shift = 0, shift
    for sweep in range(sweeps):
        trial = shift + rng.normal(scale=0.25, size=3)
        found = _energy(ligand.atoms + trial, ligand.charges)
        if found < energy or rng.random() < np.exp((energy - found) / 0.5):
            shift, energy = trial, found
            accepted += 1
            if energy < best:
                best, best_shift = energy, shift
    return Pose(ligand.number, best, accepted, best_shift)


def dock_all(ligands, pocket, sweeps, seed, workers):
    context = multiprocessing.get_context("fork")
    jobs = [(ligand, sweeps, seed) for ligand in ligands]
    with context.Pool(workers, initializer=_start, initargs=(pocket,)) as pool:
        return pool.map(_dock, jobs, chunksize=1)
