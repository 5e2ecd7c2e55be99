"""Snow pillow stations: made-up hourly logger files and their clean-up to daily values."""
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import pandas as pd

SEASON = pd.date_range("2019-02-01", periods=120, freq="D")


def write_logger_files(folder: Path, n_stations: int, seed: int) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for k in range(n_stations):
        rng = np.random.default_rng([seed, k])
        elevation = rng.uniform(900, 2600)
        hours = np.arange(24 * len(SEASON))
        temp = (
            6 - 0.0055 * (elevation - 1000) + 10 * hours / hours[-1]
            + 4 * np.sin(2 * np.pi * (hours - 9) / 24) + rng.normal(0, 1.5, len(hours))
        )
        sun = np.clip(np.sin(2 * np.pi * (hours - 6) / 24), 0, None) * rng.uniform(0.5, 1, len(hours))
        melt = 0.12 * np.clip(temp, 0, None) + 0.5 * sun * (temp > -1)
        swe = np.clip(elevation / 3 - np.cumsum(melt), 0, None) + rng.normal(0, 0.8, len(hours))
        frame = pd.DataFrame({
            "time": pd.date_range(SEASON[0], periods=len(hours), freq="h"),
            "elevation": elevation, "temp": temp, "sun": sun, "swe": swe,
        })
        frame.loc[rng.random(len(hours)) < 0.02, "temp"] = np.nan
        name = f"SP{k:03d}"
        frame.to_csv(folder / f"{name}.csv", index=False, float_format="%.3f")
        names.append(name)
    return names


def read_station(path: Path) -> pd.DataFrame:
    raw = pd.read_csv(path, parse_dates=["time"]).set_index("time")
    raw["temp"] = raw["temp"].interpolate(limit=12)
    raw["swe"] = raw["swe"].rolling(7, center=True, min_periods=1).median()
    daily = raw.resample("D").agg({"elevation": "first", "temp": "mean", "sun": "sum", "swe": "last"})
    daily["temp_max"] = raw["temp"].resample("D").max()
    daily["degree_days"] = daily["temp"].clip(lower=0).rolling(5, min_periods=1).sum()
    daily["melt"] = (-daily["swe"].diff().shift(-1)).clip(lower=0)      # tomorrow's melt in mm
    daily["station"] = path.stem
    return daily.dropna().reset_index()


def load_all(folder: Path, names: list[str], threads: int = 4) -> pd.DataFrame:
    days = {}
    with ThreadPoolExecutor(threads) as pool:
        futures = {pool.submit(read_station, folder / f"{name}.csv"): name for name in names}
        for done, future in enumerate(as_completed(futures), start=1):
            days[futures[future]] = future.result()
            if done % 16 == 0:
                print(f"  read {done}/{len(names)} stations", flush=True)
    return pd.concat(days.values(), ignore_index=True)
