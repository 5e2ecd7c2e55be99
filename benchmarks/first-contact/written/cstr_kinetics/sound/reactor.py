"""Stirred tank, A -> B -> C, exothermic, with a cooling jacket."""
import numpy as np
from scipy.integrate import solve_ivp

R = 8.314
BOUNDS = {
    "feed_conc": (0.5, 2.0),     # mol/L
    "residence": (20.0, 120.0),  # s
    "feed_temp": (320.0, 360.0), # K
    "jacket": (300.0, 350.0),    # K
}


def rhs(t, s, c0, tau, tf, tj):
    ca, cb, temp = s
    k1 = 4.0e6 * np.exp(-52_000 / (R * temp))
    k2 = 1.2e8 * np.exp(-68_000 / (R * temp))
    r1, r2 = k1 * ca, k2 * cb
    return [
        (c0 - ca) / tau - r1,
        -cb / tau + r1 - r2,
        (tf - temp) / tau + 18.0 * r1 + 24.0 * r2 - 0.02 * (temp - tj),
    ]


def run_case(x):
    """Concentrations and temperature after ten minutes."""
    c0, tau, tf, tj = x
    sol = solve_ivp(rhs, (0, 600), [c0, 0.0, tf], args=(c0, tau, tf, tj), method="LSODA", rtol=1e-6, atol=1e-9)
    ca, cb, temp = sol.y[:, -1]
    return np.array([ca / c0, cb / c0, (temp - 330) / 50])
