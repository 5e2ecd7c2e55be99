import numpy as np

BANDS = 90


def dried_peppers(count=1300, seed=3):
    """Near-infrared spectra of ground peppers, and log10 of their Scoville units."""
    rng = np.random.default_rng(seed)
    nm = np.linspace(0, 1, BANDS)
    water, fat, capsaicin, colour = (rng.gamma(4, 0.25, count) for _ in range(4))
    peaks = [(0.25, 0.05, water), (0.45, 0.03, fat), (0.62, 0.02, capsaicin), (0.66, 0.06, colour), (0.85, 0.03, capsaicin)]
    spectra = sum(a[:, None] * np.exp(-0.5 * ((nm - c) / w) ** 2) for c, w, a in peaks)
    spectra = spectra * rng.normal(1, 0.08, (count, 1)) + rng.normal(0, 0.1, (count, 1)) * nm
    spectra += rng.normal(0, 0.03, spectra.shape)
    heat = 3.2 + 1.1 * np.log1p(2 * capsaicin) + 0.1 * fat * capsaicin + rng.normal(0, 0.04, count)
    spectra = (spectra - spectra.mean(1, keepdims=True)) / spectra.std(1, keepdims=True)
    return spectra.astype(np.float32), heat.astype(np.float32)
