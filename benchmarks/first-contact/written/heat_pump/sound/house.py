"""A house with a heat pump: indoor temperature, weather and a half-hourly tariff."""

import math
from dataclasses import dataclass

import numpy as np

LEVELS = (0.0, 0.5, 1.0)
STEPS = 48


@dataclass(frozen=True)
class Tariff:
    name: str
    low: float
    high: float
    peak: tuple

    def price(self, step):
        return self.high if self.peak[0] <= step < self.peak[1] else self.low


FLAT = Tariff("flat", 0.25, 0.25, (0, 0))
EVENING = Tariff("evening peak", 0.16, 0.46, (32, 42))


class House:
    def __init__(self, tariff, seed, comfort=20.5):
        self.tariff = tariff
        self.comfort = comfort
        self.weather = np.random.default_rng(seed)

    def reset(self):
        self.step_now = 0
        self.mean = self.weather.normal(3.0, 3.0)
        self.indoor = self.weather.uniform(18.0, 22.0)
        return self.observe()

    def outdoor(self):
        return self.mean + 4.0 * math.sin(2 * math.pi * (self.step_now - 16) / STEPS)

    def observe(self):
        angle = 2 * math.pi * self.step_now / STEPS
        return [
            (self.indoor - self.comfort) / 3.0, self.outdoor() / 10.0, self.tariff.price(self.step_now) * 2,
            math.sin(angle), math.cos(angle),
        ]

    def step(self, action):
        power = LEVELS[action]
        outside = self.outdoor()
        heat = power * (2.6 + 0.05 * outside)
        self.indoor += 0.045 * (outside - self.indoor) + 0.75 * heat + self.weather.normal(0.0, 0.05)
        cost = power * self.tariff.price(self.step_now)
        discomfort = max(0.0, abs(self.indoor - self.comfort) - 0.5)
        self.step_now += 1
        return self.observe(), -(cost + 0.3 * min(discomfort, 5.0)), self.step_now == STEPS
