from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np

BLIND_COUNTS = 50.0


@lru_cache(maxsize=4)
def smoothing_kernel(width):
    window = np.hanning(width + 2)[1:-1]
    return (window / window.sum()).astype(np.float32)


def absorbance(scan, lowest=1e-2, highest=1.5):
    """-log10 of the transmittance; where the detector is blind, nothing is absorbed."""
    seen = scan.reference > BLIND_COUNTS
    transmittance = np.empty_like(scan.sample)
    np.divide(scan.sample, scan.reference, out=transmittance, where=seen)
    transmittance = np.nan_to_num(transmittance, nan=1.0)
    return -np.log10(np.clip(transmittance, lowest, highest))


def normalise(spectrum):
    centred = spectrum - np.median(spectrum)
    return centred / (np.abs(centred).mean() + 1e-6)


def prepare(scan, width=9, step=2):
    smooth = np.convolve(absorbance(scan), smoothing_kernel(width), mode="same")
    return normalise(smooth)[::step]


def prepare_all(scans, workers=4):
    first = prepare(scans[0])
    table = np.empty((len(scans), first.size), dtype=np.float32)
    with ThreadPoolExecutor(workers) as pool:
        for row, spectrum in enumerate(pool.map(prepare, scans)):
            table[row] = spectrum
    return table, np.stack([scan.fractions for scan in scans])
