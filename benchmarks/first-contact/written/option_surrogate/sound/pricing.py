"""Arithmetic-average Asian calls under geometric Brownian motion."""
import numpy as np

STEPS = 40


def price(cell):
    rng = np.random.default_rng([7, cell.index])
    dt = cell.maturity / STEPS
    z = rng.standard_normal((cell.paths, STEPS))
    drift = (cell.rate - 0.5 * cell.vol ** 2) * dt
    path = np.exp(np.cumsum(drift + cell.vol * np.sqrt(dt) * z, axis=1))
    average = cell.spot * path.mean(axis=1)
    strikes = np.array(cell.strikes)
    payoff = np.maximum(average[:, None] - strikes, 0.0).mean(axis=0)
    value = np.exp(-cell.rate * cell.maturity) * payoff / cell.spot
    market = np.array([cell.vol, cell.rate, cell.maturity])
    x = np.column_stack([strikes / cell.spot, np.tile(market, (len(strikes), 1))])
    return x, value
