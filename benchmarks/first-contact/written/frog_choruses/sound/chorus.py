"""Synthetic night recordings from ponds: mel-like patches of overlapping frog calls."""
import numpy as np

SPECIES = ("treefrog", "bullfrog", "peeper", "toad", "leopard")
PONDS = ("alder", "beaver", "cattail", "dogwood")
BANDS, FRAMES = 32, 24
#             band  width  rate
CALLS = ((18.0, 2.0, 6.0), (5.0, 2.5, 1.5), (26.0, 1.5, 3.0), (14.0, 1.2, 11.0), (9.0, 4.0, 4.0))


def clip(rng, species):
    bands = np.arange(BANDS)[:, None]
    time = np.linspace(0, 1, FRAMES)[None, :]
    patch = rng.gamma(1.2, 0.35, (BANDS, FRAMES))
    callers = [(species, 1.0)] + [(int(k), 0.55) for k in rng.integers(0, 5, rng.integers(0, 3))]
    for kind, loudness in callers:
        band, width, rate = CALLS[kind]
        centre = band + rng.normal(0, 1.4)
        pulse = np.clip(np.sin(2 * np.pi * (rate * rng.uniform(0.85, 1.15) * time + rng.uniform())), 0, None)
        patch += loudness * rng.uniform(0.6, 1.6) * np.exp(-0.5 * ((bands - centre) / width) ** 2) * pulse
    return np.log1p(patch).astype(np.float32)


def season(count=1187, seed=2024):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        species = int(rng.integers(0, len(SPECIES)))
        pond = PONDS[int(rng.integers(0, len(PONDS)))]
        yield pond, SPECIES[species], clip(rng, species)
