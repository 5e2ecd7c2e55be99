"""Synthetic registry of olive oil samples and of the mills they came from."""
import numpy as np
import pandas as pd

VARIETIES = ["arbequina", "coratina", "frantoio", "koroneiki", "picual", "taggiasca"]
ACIDS = ["palmitic", "palmitoleic", "stearic", "oleic", "linoleic", "linolenic",
         "arachidic", "eicosenoic", "squalene", "tyrosol", "hydroxytyrosol"]


def make_samples(n, seed):
    rng = np.random.default_rng(seed)
    which = rng.integers(len(VARIETIES), size=n)
    profile = rng.normal(size=(len(VARIETIES), len(ACIDS)))
    values = profile[which] + rng.normal(scale=1.4, size=(n, len(ACIDS)))
    frame = pd.DataFrame(values.astype("float32"), columns=ACIDS)
    frame.insert(0, "sample_id", [f"S{i:05d}" for i in range(n)])
    frame.insert(1, "variety", [VARIETIES[i] for i in which])
    frame["mill"] = [f"mill-{i:02d}" for i in rng.integers(24, size=n)]
    frame["pressed_on"] = pd.Timestamp("2024-10-01") + pd.to_timedelta(
        rng.integers(0, 90, size=n), unit="D")
    return frame


def make_mills(seed):
    rng = np.random.default_rng(seed + 1)
    return pd.DataFrame({
        "mill": [f"mill-{i:02d}" for i in range(24)],
        "altitude": rng.uniform(20, 700, size=24).astype("float32"),
        "malaxation_min": rng.integers(20, 60, size=24).astype("float32"),
        "decanter_temp": rng.normal(27, 2, size=24).astype("float32"),
    })


def load_table(n=3600, seed=11, per_variety=480):
    table = make_samples(n, seed).merge(make_mills(seed), on="mill", how="left")
    table["days_in_season"] = (table["pressed_on"] - table["pressed_on"].min()).dt.days
    table = table.groupby("variety").sample(n=per_variety, random_state=seed)
    return table.sort_values("sample_id").reset_index(drop=True)
