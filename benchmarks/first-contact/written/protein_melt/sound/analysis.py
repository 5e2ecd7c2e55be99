"""Point estimates and bootstrap intervals of the melting shift, in a pool of threads."""

import math
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np
import torch

from fitting import curve, fit_curves, melting_points


@dataclass
class Outcome:
    accession: str
    tm_vehicle: float
    tm_treated: float
    shift: float
    low: float
    high: float
    p_value: float
    r2: float
    steps: int

    def features(self):
        width = self.high - self.low
        return [self.shift, self.low, self.high, width, self.shift / (width + 1e-3),
                self.r2, math.log10(self.p_value)]


class Streams:
    """Independent random streams for the tasks of the pool, all from the seed of the run."""

    def __init__(self, seed, count):
        self._children = np.random.SeedSequence(seed).spawn(count)

    def stream(self, index):
        return np.random.default_rng(self._children[index])


def resample_residuals(y, fitted, n_boot, rng):
    points = y.shape[1]
    residuals = (y - fitted).numpy() * math.sqrt(points / (points - 3))
    picks = rng.integers(0, points, size=(n_boot, *residuals.shape))
    drawn = np.take_along_axis(np.broadcast_to(residuals, picks.shape), picks, axis=2)
    sets = fitted.numpy()[None, :, :] + drawn
    return torch.tensor(sets.reshape(-1, points), dtype=torch.float32)


def shift_of(tm, replicates):
    return tm[..., replicates:].mean(axis=-1) - tm[..., :replicates].mean(axis=-1)


def analyse(protein, reference, streams, n_boot):
    y = torch.tensor(np.concatenate([protein.vehicle, protein.treated]), dtype=torch.float32)
    params, steps = fit_curves(y, reference.repeat(len(y), 1), steps=80)
    fitted = curve(params)

    sets = resample_residuals(y, fitted, n_boot, streams.stream(protein.index))
    refits, more_steps = fit_curves(sets, params.repeat(n_boot, 1), steps=50)

    replicates = len(protein.vehicle)
    tm = melting_points(params).numpy()
    shift = float(shift_of(tm, replicates))
    boot = shift_of(melting_points(refits).numpy().reshape(n_boot, -1), replicates)
    low, high = np.percentile(boot, [2.5, 97.5])
    # The bootstrap distribution, moved to zero, is the null distribution of the shift.
    extreme = int((np.abs(boot - boot.mean()) >= abs(shift)).sum())
    return Outcome(
        accession=protein.accession,
        tm_vehicle=float(tm[:replicates].mean()), tm_treated=float(tm[replicates:].mean()),
        shift=shift, low=float(low), high=float(high), p_value=(extreme + 1) / (n_boot + 1),
        r2=1.0 - ((y - fitted).square().mean() / y.var()).item(),
        steps=steps + more_steps,
    )


def analyse_all(proteins, reference, seed, n_boot, workers):
    streams = Streams(seed, len(proteins))
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="melt") as pool:
        futures = [pool.submit(analyse, protein, reference, streams, n_boot)
                   for protein in proteins]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()  # a protein that cannot be fitted should stop the run at once
            if done % 10 == 0:
                print(f"  {done}/{len(futures)} proteins")
        return [future.result() for future in futures]
