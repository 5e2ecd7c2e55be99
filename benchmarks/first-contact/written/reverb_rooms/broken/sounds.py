"""Dry one-second recordings of household sounds, made up from simple oscillators."""
import numpy as np

RATE = 8000
LABELS = sorted({"doorbell", "smoke_alarm", "kettle", "glass", "knock", "hum"})


def _time(rng):
    return np.arange(RATE) / RATE - rng.uniform(0.0, 0.15)


def doorbell(rng):
    t = _time(rng)
    high, low = rng.uniform(620, 700), rng.uniform(480, 550)
    first = np.sin(2 * np.pi * high * t) * np.exp(-5 * np.clip(t, 0, None)) * (t >= 0)
    s = t - 0.35
    second = np.sin(2 * np.pi * low * s) * np.exp(-5 * np.clip(s, 0, None)) * (s >= 0)
    return first + second


def smoke_alarm(rng):
    t = _time(rng)
    gate = (np.mod(t, rng.uniform(0.22, 0.3)) < 0.12) & (t >= 0)
    return np.sin(2 * np.pi * rng.uniform(2900, 3300) * t) * gate


def kettle(rng):
    t = _time(rng)
    sweep = rng.uniform(1200, 1500) + 500 * t
    return 0.6 * np.sin(2 * np.pi * sweep * t) + 0.4 * rng.standard_normal(RATE)


def glass(rng):
    t = _time(rng)
    out = np.zeros(RATE)
    for _ in range(9):
        s = t - rng.uniform(0, 0.4)
        f = rng.uniform(1500, 3800)
        out += np.sin(2 * np.pi * f * s) * np.exp(-25 * np.clip(s, 0, None)) * (s >= 0)
    return out


def knock(rng):
    t = _time(rng)
    out = np.zeros(RATE)
    gap = rng.uniform(0.15, 0.25)
    for k in range(3):
        s = t - k * gap
        out += np.sin(2 * np.pi * rng.uniform(90, 220) * s) * np.exp(-40 * np.clip(s, 0, None)) * (s >= 0)
    return out


def hum(rng):
    t = _time(rng)
    base = rng.uniform(95, 125)
    return sum(np.sin(2 * np.pi * base * k * t) / k for k in (1, 2, 3, 5))


MAKERS = {f.__name__: f for f in (doorbell, smoke_alarm, kettle, glass, knock, hum)}


def record(label, rng):
    x = MAKERS[label](rng)
    x = x / (np.abs(x).max() + 1e-9)
    return (rng.uniform(0.3, 0.9) * x).astype(np.float32)
