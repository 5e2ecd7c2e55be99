"""Record -> detrended, scaled windows. The record may be far larger than memory, so this goes block by block."""
import logging

import numpy as np
import psutil
from scipy import signal

log = logging.getLogger(__name__)
COPIES = 24          # arrays of float64 that are alive at once while a block is worked on
SHARE = 0.002        # of the free memory: many such jobs share a machine


def samples_that_fit():
    return int(psutil.virtual_memory().available * SHARE) // (8 * COPIES)


def clean(block):
    block = signal.detrend(block.astype(np.float64))
    spread = np.median(np.abs(block - np.median(block)))
    return (block / (1.4826 * spread)).astype(np.float32)


def clean_record(path):
    record = np.load(path, mmap_mode="r")
    block = samples_that_fit()
    log.info("%d samples in blocks of %d", len(record), block)
    parts = [clean(record[start:start + block]) for start in range(0, len(record), block)]
    return np.concatenate(parts)


def windows(cleaned, width, hop):
    """Log spectra of overlapping windows."""
    cut = np.lib.stride_tricks.sliding_window_view(cleaned, width)[::hop]
    power = np.abs(np.fft.rfft(cut * np.hanning(width).astype(np.float32), axis=1)) ** 2
    banded = power[:, 1:].reshape(len(cut), -1, 8).mean(2)
    return np.log(banded + 1e-3).astype(np.float32), np.arange(len(cut)) * hop + width // 2
