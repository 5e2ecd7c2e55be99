"""Plays Pig to the end from a position: roll until a one comes up, or hold at twenty."""
import numpy as np

GOAL = 60


def turn(rng, bank, pot=0):
    while pot < 20 and bank + pot < GOAL:
        roll = int(rng.integers(1, 7))
        if roll == 1:
            return bank
        pot += roll
    return bank + pot


def play(rng, position):
    mine, theirs, pot = position
    mine = turn(rng, mine, pot)
    while mine < GOAL:
        theirs = turn(rng, theirs)
        if theirs >= GOAL:
            return 0.0
        mine = turn(rng, mine)
    return 1.0


def serve(rank, seed, tasks, results, games=40):
    while (task := tasks.get()) is not None:
        index, position = task
        rng = np.random.default_rng([seed, index])
        wins = sum(play(rng, position) for _ in range(games))
        results.put((index, wins / games))
