"""Simulated logs of a hot strip mill: seven stands, one row per strip and stand."""

import numpy as np
import pandas as pd

# flow stress at 1000 degrees (MPa), temperature coefficient, strain exponent
GRADES = {
    "DX51": (92.0, 2.9e-3, 0.17),
    "HC340": (131.0, 2.6e-3, 0.19),
    "S355": (118.0, 2.7e-3, 0.18),
    "DP600": (149.0, 2.4e-3, 0.21),
    "X70": (157.0, 2.5e-3, 0.20),
}
STANDS = 7


def mean_flow_stress(grade, temperature, strain, rate):
    base, slope, exponent = (np.array([GRADES[g][i] for g in grade]) for i in range(3))
    return base * np.exp(-slope * (temperature - 1000.0)) * (strain + 0.02) ** exponent * rate**0.12


def sims_force(stress, width, radius, entry, exit_):
    """Force in MN by a simplified Sims formula."""
    draft = entry - exit_
    contact = np.sqrt(radius * draft)
    geometry = 0.8 + 0.24 * contact / np.sqrt(entry * exit_)
    return stress * width * contact * geometry * 1e-6


def simulate(strips, seed):
    rng = np.random.default_rng(seed)
    names = sorted(GRADES)
    rows = []
    for strip in range(strips):
        grade = names[rng.choice(len(names), p=[0.2, 0.15, 0.3, 0.2, 0.15])]
        width = rng.uniform(900, 1650)
        bar, target = rng.uniform(32, 40), rng.uniform(1.8, 6.5)
        shares = rng.dirichlet(np.linspace(9, 4, STANDS))
        edges = bar * (target / bar) ** np.concatenate([[0], np.cumsum(shares)])
        temperature = rng.normal(1035, 14)
        speed = rng.uniform(0.7, 1.1)
        for stand in range(STANDS):
            entry, exit_ = edges[stand], edges[stand + 1]
            rows.append((f"{strip:05d}", stand + 1, grade, width, entry, exit_, temperature, speed * bar / exit_))
            temperature -= rng.uniform(11, 19)
    frame = pd.DataFrame(rows, columns=["strip", "stand", "grade", "width", "entry", "exit", "temperature", "speed"])
    frame["radius"] = np.where(frame["stand"] <= 4, 380.0, 335.0) + rng.normal(0, 6, len(frame))
    draft = frame["entry"] - frame["exit"]
    frame["strain"] = np.log(frame["entry"] / frame["exit"])
    frame["rate"] = 1000 * frame["speed"] * frame["strain"] / np.sqrt(frame["radius"] * draft)
    stress = mean_flow_stress(frame["grade"], frame["temperature"], frame["strain"], frame["rate"])
    frame["formula"] = sims_force(stress, frame["width"], frame["radius"], frame["entry"], frame["exit"])
    wear = 1 + 0.04 * np.sin(frame["strip"].astype(int) / 170) * (frame["stand"] > 3)
    retained = 1 + 0.10 / (1 + np.exp((frame["temperature"] - 955) / 12))
    frame["force"] = frame["formula"] * wear * retained * rng.normal(1, 0.012, len(frame))
    return frame
