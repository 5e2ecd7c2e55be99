"""Toy continuous-glucose traces: basal level, meals, insulin dips, sensor noise."""
import numpy as np

STEP_MIN = 5
DAY = 24 * 60 // STEP_MIN


def meal_response(n, at, grams, sensitivity):
    t = np.arange(n) - at
    t = np.where(t > 0, t * STEP_MIN / 60.0, 0.0)
    return sensitivity * grams * t * np.exp(-t / 0.9)


def sensor_noise(trace, sd=4.0, ar=0.7, rng=np.random.default_rng()):
    """First-order autoregressive noise, as CGM sensors have it."""
    shocks = rng.normal(0.0, sd, size=trace.shape)
    noise = np.empty_like(shocks)
    noise[..., 0] = shocks[..., 0]
    for i in range(1, shocks.shape[-1]):
        noise[..., i] = ar * noise[..., i - 1] + shocks[..., i]
    return trace + noise


def simulate_patient(days, rng):
    n = days * DAY
    basal = rng.normal(118, 12)
    sensitivity = rng.uniform(1.0, 2.2)
    trace = basal + 8 * np.sin(2 * np.pi * np.arange(n) / DAY + rng.uniform(0, 6.28))
    for day in range(days):
        for hour in (7.5, 12.5, 19.0):
            at = int(day * DAY + (hour + rng.normal(0, 0.6)) * 60 / STEP_MIN)
            trace += meal_response(n, at, rng.gamma(6, 9), sensitivity)
    return np.clip(sensor_noise(trace, rng=rng), 40, 400)


def windows(trace, past, ahead, stride=6):
    starts = range(0, len(trace) - past - ahead, stride)
    x = np.stack([trace[s:s + past] for s in starts])
    y = np.array([trace[s + past + ahead - 1] for s in starts])
    return x, y
