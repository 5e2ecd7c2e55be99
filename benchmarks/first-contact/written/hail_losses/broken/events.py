"""Hail events and what they cost: swath, stone size at each building, damage ratio with secondary uncertainty."""

from dataclasses import dataclass

import numpy as np

from portfolio import REGION

TOLERANCE = np.array([38.0, 42.0, 55.0, 34.0])  # stone size in mm at which a roof of the class is badly damaged


@dataclass(frozen=True)
class HailEvent:
    x: float
    y: float
    heading: float
    length: float
    width: float
    stone: float


def draw_events(count, seed, first=0):
    """A stochastic event set; event n is the same however many are drawn."""
    events = []
    for number in range(first, first + count):
        rng = np.random.default_rng([seed, 200, number])
        events.append(
            HailEvent(
                x=rng.uniform(-5.0, REGION),
                y=rng.uniform(0.0, REGION),
                heading=rng.normal(0.5, 0.5),
                length=rng.gamma(4.0, 9.0),
                width=rng.gamma(3.0, 1.1) + 0.8,
                stone=24.0 + rng.gamma(2.0, 11.0),
            )
        )
    return events


class DamageModel:
    def __init__(self, portfolio, spread=1.6):
        self.portfolio = portfolio
        self.spread = spread  # shape of the gamma distribution of damage about its mean
        self.tolerance = TOLERANCE[portfolio.roof]

    def stones(self, event):
        """Stone size at each building, in mm."""
        dx = self.portfolio.x - event.x
        dy = self.portfolio.y - event.y
        along = dx * np.cos(event.heading) + dy * np.sin(event.heading)
        across = dy * np.cos(event.heading) - dx * np.sin(event.heading)
        beyond = np.maximum(np.maximum(-along, along - event.length), 0.0)
        return event.stone * np.exp(-0.5 * (across / event.width) ** 2 - 0.5 * (beyond / 3.0) ** 2)

    def ratios(self, event):
        """Mean damage ratio of each building."""
        return 0.3 / (1.0 + np.exp((self.tolerance - self.stones(event)) / 5.0))

    def losses(self, event, rng, scratch):
        """Insured loss of the event in millions, once per row of `scratch`, which is overwritten."""
        mean = self.ratios(event) * self.portfolio.value
        rng.standard_gamma(self.spread, out=scratch)
        scratch *= mean / self.spread
        np.minimum(scratch, self.portfolio.value, out=scratch)
        scratch -= self.portfolio.deductible
        np.maximum(scratch, 0.0, out=scratch)
        return scratch.sum(axis=1) / 1000.0

    def describe(self, event):
        """Inputs of the surrogate: the parameters of the event and the exposure it meets."""
        stones = self.stones(event)
        value = self.portfolio.value / self.portfolio.total
        exposed = [(value * (stones > size)).sum() for size in (20.0, 30.0, 40.0, 55.0)]
        fragile = (value * (stones > self.tolerance)).sum()
        return [
            event.x / REGION,
            event.y / REGION,
            np.cos(event.heading),
            np.sin(event.heading),
            event.length / 40.0,
            event.width / 4.0,
            event.stone / 50.0,
            fragile * 4.0,
            *(np.sqrt(share) for share in exposed),
        ]
