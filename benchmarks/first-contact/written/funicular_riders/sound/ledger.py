"""The departures of a funicular with their riders, as the gate counts them."""
import math
import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta

FIRST_HOUR, LAST_HOUR = 7, 21


@dataclass
class Departure:
    when: datetime
    riders: int
    upward: bool


def departures(first: date, days: int, seed: int):
    dice = random.Random(seed)
    rain = 0.3
    entries = []
    for offset in range(days):
        day = first + timedelta(days=offset)
        rain = min(max(0.7 * rain + 0.3 * dice.random() + dice.gauss(0, 0.08), 0.0), 1.0)
        season = 1 + 0.5 * math.sin(2 * math.pi * (day.timetuple().tm_yday - 100) / 365)
        weekend = 1.6 if day.weekday() >= 5 else 1.0
        for hour in range(FIRST_HOUR, LAST_HOUR):
            for minute in (0, 20, 40):
                busy = math.exp(-(((hour - 13) / 4) ** 2))
                mean = 30 * season * weekend * (1.2 - rain) * (0.2 + busy)
                riders = max(0, round(dice.gauss(mean, 3 + math.sqrt(mean))))
                when = datetime(day.year, day.month, day.day, hour, minute)
                entries.append(Departure(when, riders, upward=minute != 20))
    return entries
