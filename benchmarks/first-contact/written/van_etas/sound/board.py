"""What dispatch knows when a van leaves."""

import numpy as np
import torch


class TravelBoard:
    """Travel times between zones as last published. Dispatch does not see live traffic: as in operation, the board is
    published anew once it is older than `max_age` seconds of the day."""

    def __init__(self, city, clock, max_age=1800.0):
        self.city = city
        self.clock = clock
        self.max_age = max_age
        self.published = 0
        self._minutes = None
        self._published_at = 0.0

    def minutes(self):
        now = self.clock.now
        if self._minutes is None or now - self._published_at >= self.max_age:
            self._minutes = self.city.travel_times()
            self._published_at = now
            self.published += 1
        return self._minutes


def features(city, clock, board, orders):
    """Inputs of the model for a minute's dispatches: zone numbers, and everything else as floats."""
    origin, target = orders["origin"], orders["target"]
    posted = board.minutes()[origin, target]
    angle = 2.0 * np.pi * clock.hour / 24.0
    count = len(origin)
    columns = [
        posted / 20.0,
        city.distance[origin, target] / 6.0,
        orders["parcels"] / 5.0,
        np.full(count, np.sin(angle)),
        np.full(count, np.cos(angle)),
        *(orders["van"] == kind for kind in range(3)),
    ]
    dense = np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)
    zones = np.stack([origin, target], axis=1)
    return torch.tensor(zones), torch.tensor(dense)
