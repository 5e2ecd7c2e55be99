"""Hourly hires of shared scooters, zone by zone, for one synthetic city."""
import numpy as np
import pandas as pd

ZONES = ["altstadt", "bahnhof", "campus", "hafen", "messe", "nordpark", "suedring"]
LEVEL = dict(zip(ZONES, [14.0, 19.0, 11.0, 6.0, 4.0, 5.0, 8.0]))


def weather(day):
    rng = np.random.default_rng([77, day])
    return {"temp": 16 + 5 * np.sin(day / 9) + rng.normal(0, 2),
            "rain": float(rng.random() < 0.3) * rng.gamma(2.0, 1.5)}


def simulate_day(day):
    rng = np.random.default_rng([5, day])
    sky = weather(day)
    weekend = day % 7 >= 5
    rows = []
    for zone in ZONES:
        for hour in range(24):
            commute = np.exp(-((hour - 8) / 1.8) ** 2) + np.exp(-((hour - 17.5) / 2.2) ** 2)
            leisure = np.exp(-((hour - 20) / 3.0) ** 2)
            shape = 0.15 + (0.4 * commute + leisure if weekend else commute + 0.3 * leisure)
            rate = LEVEL[zone] * shape * np.exp(0.03 * (sky["temp"] - 16) - 0.25 * sky["rain"])
            rows.append((day, zone, hour, weekend, sky["temp"], sky["rain"], rng.poisson(rate)))
    return pd.DataFrame(rows, columns=["day", "zone", "hour", "weekend", "temp", "rain", "trips"])
