"""Logistic growth curves, fitted plate by plate in worker processes."""
from __future__ import annotations

import multiprocessing
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

HOURS = np.linspace(0, 24, 49)
START = np.array([1.0, 0.5, 8.0])


@dataclass
class Plate:
    barcode: str
    drug: np.ndarray
    density: np.ndarray


def logistic(p, t):
    capacity, rate, midpoint = p
    return capacity / (1 + np.exp(-rate * (t - midpoint)))


def make_plates(count: int, wells: int, rng: np.random.Generator) -> list[Plate]:
    plates = []
    for number in range(count):
        drug = rng.uniform(0, 1, wells)
        batch = rng.normal(0, 0.05)
        truth = np.stack([1.4 - 0.5 * drug + batch, 0.65 - 0.25 * drug ** 2, 7 + 5 * drug + 4 * batch], axis=1)
        truth *= rng.normal(1, 0.04, truth.shape)
        curves = np.stack([logistic(p, HOURS) for p in truth])
        plates.append(Plate(f"YP{number:04d}", drug, curves + rng.normal(0, 0.03, curves.shape)))
    return plates


def fit_plate(plate: Plate) -> tuple[str, np.ndarray, int]:
    """Fits the wells in turn; neighbours are alike, so each starts from the one before."""
    rows, evaluations = [], 0
    guess = START
    for density in plate.density:
        found = least_squares(lambda p: logistic(p, HOURS) - density, guess, loss="soft_l1", f_scale=0.05,
                              ftol=1e-5, xtol=1e-5)
        evaluations += found.nfev
        if found.success:
            guess = found.x
        rows.append(np.r_[found.x, np.sqrt(2 * found.cost / len(HOURS))])
    return plate.barcode, np.array(rows), evaluations


def fit_all(plates: list[Plate], processes: int) -> tuple[dict[str, np.ndarray], int]:
    fitted, evaluations = {}, 0
    context = multiprocessing.get_context("fork")
    with context.Pool(processes) as pool:
        for barcode, rows, used in pool.imap(fit_plate, plates):
            fitted[barcode] = rows
            evaluations += used
    return fitted, evaluations
