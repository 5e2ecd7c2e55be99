"""Local search for the schedule of one day."""
from dataclasses import dataclass

import numpy as np

from fleet import FLEET, HOURS, LOWEST, RESERVE, ROOM, schedule_cost

BLOCKS = (6, 3, 1)     # hours that one move turns on or off
SWEEPS = 2


@dataclass
class Plan:
    day: int
    commitment: np.ndarray
    cost: float
    moves: int


def priority_list(day):
    """Units on in order of fuel cost until the hour is covered with reserve."""
    covered = np.cumsum(LOWEST + ROOM)
    on = np.zeros((HOURS, len(FLEET)), dtype=bool)
    for hour, residual in enumerate(day.residual):
        needed = int(np.searchsorted(covered, residual * (1.0 + RESERVE))) + 1
        on[hour, :needed] = True
    return on


def improve(day, start, sweeps=SWEEPS):
    """Turns blocks of hours of single units on or off as long as that makes the day cheaper."""
    on = start.copy()
    best = schedule_cost(day, on)
    moves = 0
    for _ in range(sweeps):
        moved = False
        for block in BLOCKS:
            for unit in range(len(FLEET)):
                for begin in range(0, HOURS, max(block // 2, 1)):
                    hours = (begin + np.arange(block)) % HOURS
                    kept = on[hours, unit].copy()
                    on[hours, unit] = not kept[0]
                    cost = schedule_cost(day, on)
                    if cost < best - 1e-6:
                        best, moved = cost, True
                        moves += 1
                    else:
                        on[hours, unit] = kept
        if not moved:
            break
    return Plan(day.number, on, best, moves)
