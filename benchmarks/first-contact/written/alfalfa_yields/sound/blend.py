"""First stage of the yield model: out-of-fold forest estimates."""
import time

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import KFold


def forest_column(x, y, seed, trees=60, folds=3, jobs=2, log=print):
    """Estimate every plot by a forest that has not seen it."""
    estimate = np.empty(len(y))
    estimate.fill(np.nan)
    splitter = KFold(folds, shuffle=True, random_state=seed)
    for fold, (fit_rows, held_rows) in enumerate(splitter.split(x)):
        began = time.perf_counter()
        forest = RandomForestRegressor(
            n_estimators=trees,
            min_samples_leaf=4,
            max_features=0.6,
            n_jobs=jobs,
            random_state=seed + fold,
        )
        forest.fit(x[fit_rows], y[fit_rows])
        forest.set_params(n_jobs=1)
        estimate[held_rows] = forest.predict(x[held_rows])
        error = np.abs(estimate[held_rows] - y[held_rows]).mean()
        log(f"fold {fold}: mae {error:.4f} ({time.perf_counter() - began:.2f} s)")
    assert not np.isnan(estimate).any()
    return estimate
