"""A long accelerometer record of a cone crusher. The liner wears, and its rattle moves down in frequency."""
import numpy as np
from scipy import signal

RATE = 2000          # samples a second


def write_record(path, minutes, seed):
    rng = np.random.default_rng(seed)
    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(minutes * 60 * RATE,))
    wear = np.linspace(0, 1, minutes) ** 1.3
    for minute in range(minutes):
        t = np.arange(60 * RATE) / RATE
        load = 1 + 0.4 * np.sin(2 * np.pi * t / 37 + rng.uniform(0, 6)) + 0.2 * rng.normal()
        hum = 0.8 * np.sin(2 * np.pi * 24.7 * t) + 0.3 * np.sin(2 * np.pi * 49.4 * t + 1)
        rattle = signal.lfilter(*signal.iirpeak(420 - 160 * wear[minute], 12, RATE), rng.normal(0, 1, len(t)))
        drift = np.cumsum(rng.normal(0, 0.003, len(t)))
        out[minute * len(t):(minute + 1) * len(t)] = load * hum + 2 * rattle * load + drift + rng.normal(0, 0.3, len(t))
    out.flush()
    return wear.astype(np.float32)
