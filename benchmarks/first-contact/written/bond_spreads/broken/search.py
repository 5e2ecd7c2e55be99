"""Successive halving with walk-forward validation."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import TimeSeriesSplit

from training import fit, forecast, standardiser

RUNGS = ((2, 0.5), (4, 0.5), (8, 1.0))  # epochs, share that goes on


@dataclass
class Trial:
    number: int
    config: object
    rung: int = 0
    score: float = float("inf")
    seconds: float = 0.0


def walk_forward(panel, splits):
    """Row masks of past and following weeks; a week is never divided."""
    weeks = np.unique(panel.weeks)
    for earlier, later in TimeSeriesSplit(n_splits=splits).split(weeks):
        yield np.isin(panel.weeks, weeks[earlier]), np.isin(panel.weeks, weeks[later])


def score(config, panel, splits, epochs):
    errors = []
    for number, (earlier, later) in enumerate(walk_forward(panel, splits)):
        train, validation = panel.where(earlier), panel.where(later)
        scale = standardiser(train.x)
        model, _ = fit(config, scale(train.x), train.y, epochs, config.seed(number, epochs))
        predicted = forecast(model, scale(validation.x))
        errors.append(root_mean_squared_error(validation.y, predicted))
    return float(np.mean(errors))


def successive_halving(configs, panel, splits, deadline):
    """All trials, best first: those of a later rung come before those that were dropped earlier."""
    alive = [Trial(number, config) for number, config in enumerate(configs)]
    dropped = []
    for rung, (epochs, share) in enumerate(RUNGS):
        for trial in alive:
            if time.monotonic() > deadline:
                raise TimeoutError(f"no end of rung {rung} in time")
            begin = time.perf_counter()
            trial.rung = rung
            trial.score = score(trial.config, panel, splits, epochs)
            trial.seconds += time.perf_counter() - begin
        alive.sort(key=lambda trial: (trial.score, trial.number))
        best = alive[0]
        print(f"rung {rung}: {len(alive)} trials of {epochs} epochs, best #{best.number} "
              f"{best.config.label()}  {best.score:.5f} bp")
        stay = max(3, int(len(alive) * share))
        dropped = alive[stay:] + dropped
        alive = alive[:stay]
    return alive + dropped
