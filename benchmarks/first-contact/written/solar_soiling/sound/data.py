import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

INPUTS = ["irradiance", "module_temp", "current_ratio", "days_since_rain", "pm10", "tilt"]


def load_strings(n=2400):
    """What the SCADA export looks like: one row per string and day."""
    rng = np.random.default_rng(77)
    frame = pd.DataFrame({
        "irradiance": rng.gamma(8, 80, n),
        "module_temp": rng.normal(38, 9, n),
        "days_since_rain": rng.exponential(12, n).round(),
        "pm10": rng.lognormal(3.3, 0.5, n),
        "tilt": rng.choice([5, 15, 25, 30], n).astype(float),
    })
    dust = frame["days_since_rain"] * frame["pm10"] / 30 * (1.2 - frame["tilt"] / 40)
    frame["loss"] = 9 * (1 - np.exp(-dust / 25)) + rng.normal(0, 0.4, n)
    frame["current_ratio"] = 1 - frame["loss"] / 100 + rng.normal(0, 0.03, n)
    return frame


def prepare(frame, n_regimes):
    rest, test = train_test_split(frame, test_size=0.2)
    train, val = train_test_split(rest, test_size=0.2)

    scaler = StandardScaler().fit(train[INPUTS])
    regimes = KMeans(n_regimes, n_init=2).fit(scaler.transform(train[INPUTS]))

    splits = {}
    for name, part in {"train": train, "val": val, "test": test}.items():
        scaled = scaler.transform(part[INPUTS])
        onehot = np.eye(n_regimes)[regimes.predict(scaled)]
        x = np.hstack([scaled, onehot]).astype(np.float32)
        splits[name] = (x, part["loss"].to_numpy(dtype=np.float32))
    return splits
