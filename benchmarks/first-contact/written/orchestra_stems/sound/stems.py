"""Renders short instrument stems to disk, in parallel, and reads them back."""
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np

RATE = 8000
INSTRUMENTS = {
    "flute": ([1.0, 0.25, 0.05], 0.06, 5.0),
    "oboe": ([0.6, 1.0, 0.8, 0.4, 0.3], 0.03, 6.0),
    "horn": ([1.0, 0.7, 0.4, 0.2, 0.1], 0.08, 4.0),
    "viola": ([1.0, 0.5, 0.6, 0.3, 0.3, 0.2], 0.05, 6.5),
    "marimba": ([1.0, 0.05, 0.02, 0.3], 0.002, 0.0),
    "tuba": ([1.0, 0.9, 0.3, 0.1], 0.10, 3.0),
}
LOWEST = {"flute": 72, "oboe": 66, "horn": 52, "viola": 55, "marimba": 57, "tuba": 34}


def render(folder, instrument, take):
    """One stem of three to six notes; everything in it follows from the instrument and the take."""
    rng = np.random.default_rng([list(INSTRUMENTS).index(instrument), take])
    partials, attack, vibrato = INSTRUMENTS[instrument]
    notes = []
    for _ in range(rng.integers(3, 7)):
        t = np.arange(int(RATE * rng.uniform(0.25, 0.5))) / RATE
        pitch = 440 * 2 ** ((LOWEST[instrument] + rng.integers(0, 18) - 69) / 12)
        phase = 2 * np.pi * pitch * t + 0.3 * np.sin(2 * np.pi * vibrato * t)
        tone = sum(a * rng.uniform(0.7, 1.3) * np.sin((k + 1) * phase) for k, a in enumerate(partials))
        decay = 9.0 if instrument == "marimba" else 1.5
        notes.append(tone * np.minimum(1, t / attack) * np.exp(-decay * t))
    wave = np.concatenate(notes)
    wave = wave / np.abs(wave).max() + rng.normal(0, 0.05, len(wave))
    path = Path(folder) / f"{instrument}-{take:03d}.npy"
    np.save(path, np.resize(wave, RATE * 2).astype(np.float32))
    return path.name, float(len(wave) / RATE)


def render_all(folder, takes):
    seconds = {}
    with ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(render, str(folder), name, take) for take in range(takes) for name in INSTRUMENTS]
        for done, job in enumerate(as_completed(jobs), 1):
            name, length = job.result()
            seconds[name] = length
            if done % 60 == 0:
                print(f"  rendered {done}/{len(jobs)}, last {name}")
    return seconds


def load_stems(folder):
    """Waves, instrument numbers and take numbers of everything in the folder."""
    names = list(INSTRUMENTS)
    paths = sorted(Path(folder).glob("*.npy"), key=lambda path: path.name)
    waves = np.stack([np.load(path) for path in paths])
    kinds = np.array([names.index(path.stem.split("-")[0]) for path in paths])
    takes = np.array([int(path.stem.split("-")[1]) for path in paths])
    return waves, kinds, takes
