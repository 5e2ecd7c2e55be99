"""Automatic snow stations and the weather they report."""
import zlib
from dataclasses import dataclass
from typing import Optional

import numpy as np
import pandas as pd

SEASON_DAYS = 150


@dataclass(frozen=True)
class StationSpec:
    number: int
    elevation: int              # m a.s.l.
    aspect: Optional[int]       # degrees from north, None on flat fields
    mast_height: Optional[int]  # cm, None for pressure pillows
    heated: bool = False

    @property
    def name(self):
        return f"ST{self.number:03d}"


def build_network(count, rng):
    specs = []
    for number in range(1, count + 1):
        flat = rng.random() < 0.35
        pillow = rng.random() < 0.2
        specs.append(
            StationSpec(
                number=number,
                elevation=int(rng.integers(1200, 2900)),
                aspect=None if flat else int(rng.integers(0, 8) * 45),
                mast_height=None if pillow else int(rng.choice([450, 600])),
                heated=bool(rng.random() < 0.5),
            )
        )
    return specs


def stream_id(spec, season):
    """Every station and season gets a noise stream of its own."""
    return zlib.crc32(repr((spec, season)).encode()) & 0xFFFFFFFF


class WeatherSeason:
    """Regional forcing that all stations share in one season."""

    def __init__(self, season, seed):
        rng = np.random.default_rng([seed, season])
        day = np.arange(SEASON_DAYS)
        storms = np.convolve(rng.gamma(0.35, 14.0, SEASON_DAYS), np.ones(2) / 2, mode="same")
        self.season = season
        self.precip = storms
        self.temperature = -3.0 - 6.0 * np.sin(np.pi * day / SEASON_DAYS) + rng.normal(0, 2.5, SEASON_DAYS)
        self.wind = np.clip(rng.weibull(1.8, SEASON_DAYS) * 9.0, 0, 40)
        self.wind_dir = rng.integers(0, 360, SEASON_DAYS)


def observe(spec, weather):
    """What one station would have logged in one season."""
    rng = np.random.default_rng(stream_id(spec, weather.season))
    lapse = -0.0065 * (spec.elevation - 1800)
    temperature = weather.temperature + lapse + rng.normal(0, 0.6, SEASON_DAYS)
    solid = np.clip((1.5 - temperature) / 3.0, 0, 1)
    new_snow = weather.precip * solid * (1 + 0.0003 * (spec.elevation - 1800))
    new_snow = np.clip(new_snow + rng.normal(0, 1.2, SEASON_DAYS), 0, None)

    if spec.aspect is None:
        loading = np.zeros(SEASON_DAYS)
    else:
        lee = np.cos(np.deg2rad(weather.wind_dir - spec.aspect - 180))
        loading = np.clip(lee, 0, 1) * weather.wind * 0.6

    depth = np.zeros(SEASON_DAYS)
    weak = np.zeros(SEASON_DAYS)
    snow, layer = 40.0, 0.3
    for d in range(SEASON_DAYS):
        melt = max(temperature[d], 0) * 3.5
        snow = max(snow * 0.985 + new_snow[d] - melt, 0)
        layer = 0.9 * layer + (0.12 if temperature[d] < -8 and new_snow[d] < 2 else 0.0)
        depth[d], weak[d] = snow, layer
    if spec.mast_height is not None:
        depth = np.clip(depth, 0, spec.mast_height)
    if not spec.heated:
        loading = np.where(temperature < -12, 0.0, loading)

    load = new_snow + pd.Series(new_snow).rolling(3, min_periods=1).sum().to_numpy() * 0.5 + loading
    hazard = 0.035 * load + 1.6 * weak + 0.05 * np.clip(temperature, 0, None) + rng.normal(0, 0.25, SEASON_DAYS)
    return pd.DataFrame(
        {
            "station": spec.name,
            "season": weather.season,
            "day": np.arange(SEASON_DAYS),
            "elevation": spec.elevation / 1000.0,
            "temperature": temperature,
            "new_snow": new_snow,
            "depth": depth / 100.0,
            "wind": weather.wind,
            "loading": loading,
            "danger": np.clip(np.floor(hazard), 0, 3).astype(int),
        }
    )
