"""Synthetic field recordings of cicadas and their band features."""
import numpy as np

RATE = 8000
SPECIES = [(1900, 14, 0.25), (2300, 22, 0.5), (2700, 31, 0.35), (2050, 40, 0.6)]
FRAME = 512


def record(number, seconds, species):
    """One recording: a pulsed carrier with drift, in wind and insect noise."""
    rng = np.random.default_rng([77, number])
    carrier, pulse, duty = SPECIES[species]
    t = np.arange(int(seconds * RATE)) / RATE
    carrier = carrier * rng.normal(1.0, 0.07)
    pulse = pulse * rng.normal(1.0, 0.12)
    drift = np.cumsum(rng.normal(0.0, 0.6, len(t))) / RATE
    gate = ((t * pulse + rng.random()) % 1.0 < duty).astype(float)
    wind = np.convolve(rng.normal(size=len(t)), np.ones(24) / 24, mode="same")
    call = np.sin(2 * np.pi * (carrier * t + 40 * drift)) * gate
    return 0.35 * call + 1.6 * wind + 0.5 * rng.normal(size=len(t))


def features(number, seconds, species):
    """Log band energies and the modulation of each half second."""
    sound = record(number, seconds, species)
    n = len(sound) // FRAME
    frames = sound[: n * FRAME].reshape(n, FRAME) * np.hanning(FRAME)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    bands = np.log(power[:, 1:257].reshape(n, 32, 8).mean(2) + 1e-6)
    half = sound[: len(sound) // 4000 * 4000].reshape(-1, 4000)
    rows = []
    for i, piece in enumerate(half):
        strip = piece - np.convolve(piece, np.ones(6) / 6, mode="same")
        envelope = np.abs(strip).reshape(-1, 20).mean(1)
        spectrum = np.abs(np.fft.rfft(envelope - envelope.mean()))[:50]
        near = bands[min(i * 4000 // FRAME, n - 1):][:8].mean(0)
        rows.append(np.concatenate([near, np.log(spectrum + 1e-3)]))
    x = np.asarray(rows, dtype=np.float32)
    return x, np.full(len(x), species), np.full(len(x), number)
