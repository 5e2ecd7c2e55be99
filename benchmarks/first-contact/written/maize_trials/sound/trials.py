"""Simulated yield trials: inbred lines, their crosses, sites and seasons."""

from dataclasses import dataclass

import numpy as np

LINES = ("A632", "A654", "B37", "B73", "B84", "B97", "C103", "CML52", "CML69", "F2", "Ki11",
         "Ky21", "Mo17", "Mo18W", "NC350", "Oh43", "Oh7B", "P39", "PH207", "Tx303", "W22", "W64A")
SITES = ("ames", "aurora", "clayton", "lincoln", "urbana")
SEASONS = (2021, 2022, 2023)
WEATHER = {2021: (412.0, 1510.0), 2022: (298.0, 1660.0), 2023: (371.0, 1585.0)}


@dataclass(frozen=True)
class Plot:
    female: str
    male: str
    site: str
    season: int
    rain_mm: float
    heat_units: float
    density: float  # plants per square metre
    yield_t: float  # tonnes per hectare at 15.5 % moisture


def season_weather(season):
    return WEATHER[season]


def simulate_trials(count, seed):
    """Plots of about half of all possible crosses; many were made in both directions."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(len(LINES)) for j in range(i + 1, len(LINES))]
    made = rng.permutation(len(pairs))[:len(pairs) // 2]
    general = rng.normal(0.0, 0.55, size=len(LINES))
    specific = rng.normal(0.0, 0.60, size=len(pairs))
    site_effect = rng.normal(0.0, 0.8, size=len(SITES))
    line_site = rng.normal(0.0, 0.35, size=(len(LINES), len(SITES)))
    drought = rng.normal(0.0, 0.4, size=len(LINES))

    plots = []
    for _ in range(count):
        pair = int(made[rng.integers(len(made))])
        i, j = pairs[pair]
        site, season = int(rng.integers(len(SITES))), SEASONS[int(rng.integers(len(SEASONS)))]
        rain, heat = season_weather(season)
        rain, heat = rain + rng.normal(0.0, 25.0), heat + rng.normal(0.0, 30.0)
        density = rng.uniform(6.5, 9.5)
        dryness = (360.0 - rain) / 100.0
        value = (10.5 + general[i] + general[j] + specific[pair] + site_effect[site]
                 + line_site[i, site] + line_site[j, site]
                 - (0.9 + drought[i] + drought[j]) * dryness
                 - 0.12 * (density - 8.2) ** 2 + rng.normal(0.0, 0.45))
        female, male = (i, j) if rng.random() < 0.5 else (j, i)
        plots.append(Plot(LINES[female], LINES[male], SITES[site], season, float(rain),
                          float(heat), float(density), float(value)))
    return plots
