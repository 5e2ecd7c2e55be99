"""Simulated rooms: impulse responses, and the far-field version of a dry recording."""
from dataclasses import dataclass, field

import numpy as np
from scipy import signal


@dataclass
class Room:
    name: str
    volume: float
    t60: float
    response: np.ndarray = field(repr=False)
    method: str = "auto"


def impulse_response(taps, t60, rate, rng):
    t = np.arange(taps) / rate
    tail = rng.standard_normal(taps) * np.exp(-6.9 * t / t60)
    tail[: int(0.0015 * rate)] = 0.0
    for _ in range(rng.integers(3, 7)):
        tail[rng.integers(int(0.002 * rate), int(0.015 * rate))] += rng.uniform(0.3, 0.8)
    tail[0] = 1.0
    return (tail / np.sqrt(np.sum(tail ** 2))).astype(np.float32)


class RoomBank:
    def __init__(self, count, rate, seed):
        rng = np.random.default_rng(seed)
        self.rate = rate
        self.rooms = []
        for i in range(count):
            volume = rng.uniform(15, 60)
            taps = int(170 + 4.2 * volume + rng.integers(0, 40))
            t60 = 0.02 + volume / 1000
            response = impulse_response(taps, t60, rate, rng)
            self.rooms.append(Room(f"room{i:02d}", volume, t60, response))

    def __len__(self):
        return len(self.rooms)

    def prepare(self, length):
        """Settle, for recordings of this length, how each room is convolved."""
        probe = np.zeros(length, dtype=np.float32)
        probe[:: self.rate // 50] = 1.0
        for room in self.rooms:
            room.method = signal.choose_conv_method(probe, room.response, mode="full")
        return self

    def summary(self):
        taps = [len(r.response) for r in self.rooms]
        return f"{len(self.rooms)} rooms, {min(taps)} to {max(taps)} taps"

    def play(self, dry, index, distance, rng):
        room = self.rooms[index]
        wet = signal.convolve(dry, room.response, mode="full", method=room.method)[: len(dry)]
        direct = 1.0 / max(distance, 0.5)
        mixed = direct * dry + (1 - 0.5 * direct) * wet
        noise = rng.standard_normal(len(dry)).astype(np.float32)
        return (mixed + 0.01 * distance * noise).astype(np.float32)
