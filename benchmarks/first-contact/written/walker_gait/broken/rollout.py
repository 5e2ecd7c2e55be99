"""What the worker processes do: let a controller walk a few times and report how far it came."""
import os
import time

import numpy as np

from terrain import MOTORS, OBSERVED, STEPS, Walker

HIDDEN = 12
SIZES = [(HIDDEN, OBSERVED), (HIDDEN,), (MOTORS, HIDDEN), (MOTORS,)]

_worker = {}


def start_worker(counter, bar, seed):
    with counter.get_lock():
        rank = counter.value
        counter.value += 1
    _worker["rank"] = rank
    _worker["bar"] = bar
    time.sleep(0.01 * rank)     # the workers should not all start in the same instant


def unpack(theta):
    parts, at = [], 0
    for shape in SIZES:
        n = int(np.prod(shape))
        parts.append(theta[at:at + n].reshape(shape))
        at += n
    return parts


def walk(theta, rng):
    w1, b1, w2, b2 = unpack(theta)
    walker = Walker(rng)
    done = False
    while not done:
        hidden = np.tanh(w1 @ walker.observe() + b1)
        done = walker.step(np.tanh(w2 @ hidden + b2))
    return walker.score(), walker.t


def evaluate(job):
    """One member of one generation: four walks, or one only if that one stays below the bar. A mirrored pair
    (members 2k and 2k + 1) meets the same ground."""
    seed, generation, member, theta = job
    began = time.perf_counter()
    rng = np.random.default_rng([seed, generation, member // 2])
    results = [walk(theta, rng)]
    first = results[0][0]
    _worker["bar"].value += 0.1 * (first - _worker["bar"].value)
    if first >= _worker["bar"].value:
        results += [walk(theta, rng) for _ in range(3)]
    score = sum(s for s, _ in results) / len(results)
    fell = sum(t < STEPS for _, t in results)
    return member, score, len(results), fell, os.getpid(), time.perf_counter() - began
