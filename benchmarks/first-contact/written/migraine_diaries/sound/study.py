"""What a diary study records, and how its tables become windows."""
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import pandas as pd


class Channel(Enum):
    SLEEP = "sleep_hours"
    STRESS = "stress"
    CAFFEINE = "caffeine_mg"
    PRESSURE = "pressure_hpa"
    SCREEN = "screen_hours"
    CYCLE = "cycle_phase"
    WATER = "water_l"
    STEPS = "steps_k"


WEARABLE = frozenset({Channel.SLEEP, Channel.STEPS, Channel.SCREEN})
REPORTED = frozenset({Channel.STRESS, Channel.CAFFEINE, Channel.WATER, Channel.CYCLE})
WEATHER = frozenset({Channel.PRESSURE})


@dataclass(frozen=True)
class Study:
    patients: int = 36
    days: int = 90
    window: int = 10
    channels: frozenset = field(default=WEARABLE | REPORTED | WEATHER)

    def columns(self):
        return [c.value for c in Channel if c in self.channels]


def standardise(table, columns):
    values = table[columns]
    return (values - values.mean()) / values.std()


def windows(table: pd.DataFrame, study: Study):
    columns = study.columns()
    table = table.sort_values(["patient", "day"], kind="stable").reset_index(drop=True)
    table[columns] = standardise(table, columns)
    xs, ys, who = [], [], []
    for patient, rows in table.groupby("patient", sort=True):
        values = rows[columns].to_numpy(np.float32)
        attack = rows["attack"].to_numpy(np.float32)
        for end in range(study.window, len(rows), 2):
            xs.append(values[end - study.window:end])
            ys.append(attack[end])
            who.append(patient)
    return np.stack(xs), np.array(ys, dtype=np.float32), np.array(who)
