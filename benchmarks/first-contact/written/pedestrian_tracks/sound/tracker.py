"""Greedy nearest-neighbour tracking of pedestrians seen from above."""
import itertools

import numpy as np


class Track:
    """The path of one pedestrian."""

    _serial = itertools.count(1)

    def __init__(self, frame, position):
        self.serial = next(self._serial)
        self.first_frame = frame
        self.positions = [position]
        self.misses = 0

    def __len__(self):
        return len(self.positions)

    def predict(self):
        if len(self.positions) < 2:
            return self.positions[-1]
        return 2 * self.positions[-1] - self.positions[-2]

    def extend(self, position):
        self.positions.append(position)
        self.misses = 0


class Tracker:
    def __init__(self, gate=0.8, patience=2):
        self.gate = gate
        self.patience = patience
        self.active = {}
        self.finished = []

    def update(self, frame, detections):
        free = np.ones(len(detections), bool)
        lost = []
        for track in self.active:
            distance = np.linalg.norm(detections - track.predict(), axis=1)
            distance[~free] = np.inf
            nearest = int(distance.argmin())
            if distance[nearest] < self.gate:
                track.extend(detections[nearest])
                free[nearest] = False
            else:
                track.misses += 1
                if track.misses > self.patience:
                    lost.append(track)
        for track in lost:
            del self.active[track]
            self.finished.append(track)
        for position in detections[free]:
            self.active[Track(frame, position)] = None

    def close(self):
        self.finished.extend(self.active)
        self.active.clear()
        return self.finished
