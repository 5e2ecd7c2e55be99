"""The simulated city: zones, roads, traffic that changes by the minute, and the deliveries of the vans."""

import numpy as np

VANS = ("cargo bike", "small van", "large van")
PACE = np.array([1.25, 1.0, 1.12])


class City:
    def __init__(self, clock, zones=24, seed=0):
        self.clock = clock
        self.zones = zones
        layout = np.random.default_rng([seed, 0])
        self.positions = layout.uniform(0.0, 12.0, (zones, 2))
        gaps = self.positions[:, None] - self.positions[None]
        self.distance = np.sqrt((gaps**2).sum(-1))
        centre = np.sqrt(((self.positions - 6.0) ** 2).sum(-1))
        self.centrality = np.exp(-centre / 4.0)
        self.free_flow = self._roads(layout)
        self.traffic_rng = np.random.default_rng([seed, 1])
        self.order_rng = np.random.default_rng([seed, 2])
        self.congestion = np.ones(zones)
        self.incident = np.zeros(zones)

    def _roads(self, rng):
        """Minutes per road at night; zones are linked to their five nearest, and along a ring."""
        minutes = np.full((self.zones, self.zones), np.inf)
        nearest = np.argsort(self.distance, axis=1, kind="stable")[:, 1:6]
        around = np.argsort(np.arctan2(*(self.positions - 6.0).T), kind="stable")
        pairs = [(zone, int(other)) for zone in range(self.zones) for other in nearest[zone]]
        pairs += [(int(around[i - 1]), int(around[i])) for i in range(self.zones)]
        for a, b in pairs:
            kmh = rng.uniform(28.0, 46.0)
            minutes[a, b] = minutes[b, a] = 60.0 * self.distance[a, b] / kmh
        np.fill_diagonal(minutes, 0.0)
        return minutes

    def advance(self):
        """One more minute of traffic."""
        self.clock.tick()
        hour = self.clock.hour
        rush = np.exp(-(((hour - 8.2) / 1.3) ** 2)) + 1.2 * np.exp(-(((hour - 17.3) / 1.6) ** 2))
        usual = 1.0 + 0.25 * self.centrality + 1.6 * rush * self.centrality
        self.congestion += 0.06 * (usual - self.congestion) + 0.04 * self.traffic_rng.standard_normal(self.zones)
        if self.traffic_rng.random() < 0.06:
            self.incident[self.traffic_rng.integers(self.zones)] = self.traffic_rng.uniform(1.0, 3.0)
        self.incident *= 0.97
        np.clip(self.congestion, 0.7, 6.0, out=self.congestion)

    def travel_times(self):
        """Minutes between all zones in the traffic of this moment (Floyd-Warshall)."""
        level = self.congestion + self.incident
        minutes = self.free_flow * (0.5 * (level[:, None] + level[None]))
        for via in range(self.zones):
            np.minimum(minutes, minutes[:, via, None] + minutes[None, via], out=minutes)
        return minutes

    def dispatches(self, count):
        """What is sent out in this minute, and how long each delivery really took."""
        rng = self.order_rng
        origin = rng.integers(0, self.zones, count)
        target = (origin + rng.integers(1, self.zones, count)) % self.zones
        van = rng.integers(0, len(VANS), count)
        parcels = 1 + rng.poisson(3.0, count)
        drive = self.travel_times()[origin, target] * PACE[van]
        service = 2.0 + 0.7 * parcels + 1.5 * (van == 2) * self.centrality[target]
        minutes = (drive + service) * np.exp(0.08 * rng.standard_normal(count))
        return {"origin": origin, "target": target, "van": van, "parcels": parcels, "minutes": minutes}
