"""Readings of soil and canopy probes in the blocks of a vineyard, as a table."""
import numpy as np
import pandas as pd

BLOCKS = ["Clos du Moulin", "Les Terrasses", "Haut Pavé", "La Combe", "Bois Rond", "Les Graves"]
PROBES = ["elevation", "slope", "clay", "ph", "ndvi", "vigour", "water", "nitrogen"]


def survey(rows, seed):
    rng = np.random.default_rng(seed)
    parts = []
    for k, block in enumerate(BLOCKS):
        centres = rng.normal(0.0, 1.5, (7, len(PROBES)))
        soil = rng.integers(0, len(centres), rows)
        values = centres[soil] + rng.normal(0.0, 0.7, (rows, len(PROBES)))
        response = rng.normal(0.0, 1.0, len(centres))
        sugar = 21.0 + response[soil] + 0.5 * np.sin(2.0 * values[:, 4]) * values[:, 6] + rng.normal(0, 0.2, rows)
        part = pd.DataFrame(values, columns=PROBES)
        part.insert(0, "block", block)
        part["brix"] = sugar
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    return table.sample(frac=1.0, random_state=seed).reset_index(drop=True)


def split(table, share=0.8):
    cut = int(share * len(table))
    return table.iloc[:cut].reset_index(drop=True), table.iloc[cut:].reset_index(drop=True)
