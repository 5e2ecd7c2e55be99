"""The fleet, the days, and what a schedule costs on a day."""
from dataclasses import dataclass

import numpy as np

HOURS = 24
LOST_LOAD = 900.0     # per MWh that nobody supplies
SPILL = 60.0          # per MWh of generation that nobody takes
SHORT_RUN = 400.0     # per hour by which a run is shorter than the unit allows
RESERVE = 0.08


@dataclass(frozen=True)
class Unit:
    name: str
    lowest: float
    highest: float
    fixed: float
    fuel: float
    startup: float
    min_up: int


FLEET = (  # in order of fuel cost: dispatch relies on it
    Unit("coal-1", 120.0, 300.0, 480.0, 17.5, 4200.0, 8),
    Unit("coal-2", 110.0, 280.0, 470.0, 18.4, 4000.0, 8),
    Unit("ccgt-1", 70.0, 210.0, 390.0, 24.0, 1500.0, 4),
    Unit("ccgt-2", 70.0, 200.0, 385.0, 25.1, 1450.0, 4),
    Unit("ccgt-3", 60.0, 180.0, 370.0, 26.3, 1300.0, 3),
    Unit("gas-1", 20.0, 90.0, 160.0, 41.0, 320.0, 2),
    Unit("gas-2", 20.0, 80.0, 150.0, 43.5, 300.0, 1),
    Unit("oil-1", 10.0, 60.0, 90.0, 66.0, 110.0, 1),
)

LOWEST = np.array([unit.lowest for unit in FLEET])
ROOM = np.array([unit.highest - unit.lowest for unit in FLEET])
FIXED = np.array([unit.fixed for unit in FLEET])
FUEL = np.array([unit.fuel for unit in FLEET])
STARTUP = np.array([unit.startup for unit in FLEET])
MIN_UP = [unit.min_up for unit in FLEET]


@dataclass(frozen=True)
class Day:
    number: int
    kind: str             # "weekday" or "weekend"
    demand: np.ndarray    # MW in each hour
    wind: np.ndarray

    @property
    def residual(self):
        return np.maximum(self.demand - self.wind, 0.0)


def demand_shape(kind, level=1.0, evening=1.0):
    hour = np.arange(HOURS)
    morning = np.exp(-0.5 * ((hour - 8.5) / 2.2) ** 2)
    dinner = np.exp(-0.5 * ((hour - 18.5) / 2.4) ** 2)
    if kind == "weekend":
        return level * (470.0 + 110.0 * np.roll(morning, 2) + 190.0 * evening * dinner)
    return level * (520.0 + 260.0 * morning + 300.0 * evening * dinner)


def typical_day(kind):
    return Day(-1, kind, demand_shape(kind), np.full(HOURS, 90.0))


def synthetic_season(days, seed):
    season = []
    for number in range(days):
        rng = np.random.default_rng([seed, number])
        kind = "weekend" if number % 7 in (5, 6) else "weekday"
        shape = demand_shape(kind, rng.uniform(0.86, 1.12), rng.uniform(0.8, 1.2))
        demand = shape + rng.normal(0.0, 14.0, HOURS)
        front = rng.uniform(-6.0, 30.0)
        gusts = rng.uniform(60.0, 240.0) * np.exp(-0.5 * ((np.arange(HOURS) - front) / 6.0) ** 2)
        season.append(Day(number, kind, demand, np.maximum(25.0 + gusts + rng.normal(0, 9, HOURS), 0)))
    return season


def hourly_costs(residual, on):
    """Cost of each hour: units that are on run at their lowest, the rest is filled up by fuel cost."""
    base = (on * LOWEST).sum(axis=1)
    room = on * ROOM
    before = np.cumsum(room, axis=1) - room
    used = np.clip((residual - base)[:, None] - before, 0.0, room)
    short = np.maximum(residual - base - room.sum(axis=1), 0.0)
    spilled = np.maximum(base - residual, 0.0)
    thin = np.maximum(residual * (1.0 + RESERVE) - base - room.sum(axis=1), 0.0)
    running = (on * (FIXED + LOWEST * FUEL)).sum(axis=1) + (used * FUEL).sum(axis=1)
    return running + LOST_LOAD * short + SPILL * spilled + 0.05 * LOST_LOAD * thin


def schedule_cost(day, on):
    """Cost of a schedule (hours x units, true where on), with starts and runs that are too short."""
    on = np.asarray(on, dtype=bool)
    total = float(hourly_costs(day.residual, on).sum())
    starts = on & ~np.vstack([on[-1:], on[:-1]])   # the day is taken to follow one like itself
    total += float((starts.sum(axis=0) * STARTUP).sum())
    for hour, unit in zip(*np.nonzero(starts)):
        up = 0
        while up < MIN_UP[unit] and on[(hour + up) % HOURS, unit]:
            up += 1
        total += SHORT_RUN * (MIN_UP[unit] - up)
    return total
