"""A simulated panel of issuers: weekly spreads in basis points, and the features made of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

SECTORS = ("autos", "banks", "energy", "retail", "telecom", "utilities")
RATINGS = ("A", "BB", "BBB")
LEVEL = {"A": 70.0, "BBB": 130.0, "BB": 280.0}


@dataclass
class Panel:
    x: np.ndarray
    y: np.ndarray
    weeks: np.ndarray
    columns: list

    def where(self, mask):
        return Panel(self.x[mask], self.y[mask], self.weeks[mask], self.columns)


def autoregression(rng, weeks, persistence, sd):
    path = np.zeros(weeks)
    for week in range(1, weeks):
        path[week] = persistence * path[week - 1] + rng.normal(0.0, sd)
    return path


def simulate(issuers, weeks, seed):
    rng = np.random.default_rng(seed)
    market = autoregression(rng, weeks, 0.95, 6.0)
    volatility = 18.0 + autoregression(rng, weeks, 0.90, 1.5) + 0.15 * np.abs(market)
    sector_paths = {sector: autoregression(rng, weeks, 0.93, 3.0) for sector in SECTORS}
    frames = []
    for issuer in range(issuers):
        sector = SECTORS[issuer % len(SECTORS)]
        rating = RATINGS[int(rng.integers(len(RATINGS)))]
        beta = rng.uniform(0.6, 1.5) * (1.8 if rating == "BB" else 1.0)
        own = autoregression(rng, weeks, 0.80, 4.0)
        spread = LEVEL[rating] * rng.uniform(0.8, 1.2) + beta * market + sector_paths[sector] + own
        frames.append(pd.DataFrame({
            "issuer": issuer, "week": np.arange(weeks), "sector": sector, "rating": rating,
            "spread": spread + rng.normal(0.0, 0.8, size=weeks), "market": market,
            "volatility": volatility, "duration": rng.uniform(2.0, 9.0),
        }))
    return pd.concat(frames, ignore_index=True)


def make_panel(issuers, weeks, seed, lags=4):
    table = simulate(issuers, weeks, seed)
    by_issuer = table.groupby("issuer")["spread"]
    table["change"] = by_issuer.diff()
    for lag in range(1, lags + 1):
        table[f"change_{lag}"] = table.groupby("issuer")["change"].shift(lag - 1)
    table["gap"] = table["spread"] - by_issuer.transform(lambda s: s.rolling(8).mean())
    peers = table.groupby(["sector", "week"])["spread"].transform("mean")
    table["peer_gap"] = table["spread"] - peers
    table["market_change"] = table.groupby("issuer")["market"].diff()
    table["target"] = by_issuer.shift(-1) - table["spread"]
    table = pd.get_dummies(table, columns=["sector", "rating"])
    table = table.dropna().sort_values(["week", "issuer"], kind="stable")
    columns = [c for c in table.columns if c not in ("issuer", "week", "target", "change")]
    return Panel(table[columns].to_numpy(dtype=np.float64),
                 table["target"].to_numpy(dtype=np.float64), table["week"].to_numpy(), columns)
