import numpy as np

PERIODS = {"m2": 12.42, "s2": 12.0, "k1": 23.93, "o1": 25.82}


def ar1(n, phi, scale, rng):
    out = np.zeros(n)
    noise = rng.normal(0, scale, n)
    for i in range(1, n):
        out[i] = phi * out[i - 1] + noise[i]
    return out


def simulate_gauge(hours, rng):
    t = np.arange(hours, dtype=np.float64)
    pressure = 1013 + ar1(hours, 0.985, 1.1, rng)
    wind_u, wind_v = ar1(hours, 0.95, 1.6, rng), ar1(hours, 0.95, 1.6, rng)
    river = np.exp(ar1(hours, 0.99, 0.05, rng))
    astronomical = sum(
        a * np.cos(2 * np.pi * t / p + f)
        for (a, f), p in zip([(1.2, 0.3), (0.4, 1.1), (0.2, 2.0), (0.15, 0.7)], PERIODS.values())
    )
    drive = -0.01 * (pressure - 1013) + 0.02 * wind_u * np.abs(wind_u) + 0.08 * (river - 1)
    surge = np.zeros(hours)
    for i in range(1, hours):
        surge[i] = 0.9 * surge[i - 1] + 0.1 * drive[i]
    surge = surge + rng.normal(0, 0.01, hours)
    quality = (rng.random(hours) > 0.02).astype(np.int8)
    columns = dict(hour=t, pressure=pressure, wind_u=wind_u, wind_v=wind_v, river=river,
                   level=astronomical + surge, surge=surge.astype(np.float32), quality=quality)
    return columns
