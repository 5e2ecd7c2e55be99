"""Virtual fatigue rig: crack growth of a bearing race under random load spectra."""
import multiprocessing as mp

import numpy as np

SEED = 5150
rng = None


def start_worker(counter):
    """Give every worker a stream of its own: forked copies of one generator would repeat each other."""
    global rng
    with counter.get_lock():
        number = counter.value
        counter.value += 1
    rng = np.random.default_rng([SEED, number])


def run_to_failure(load, hardness):
    crack, cycles = 0.02, 0
    while crack < 1.0 and cycles < 60_000:
        block = rng.weibull(2.0, 50) * load
        crack += 2e-4 * float(np.sum((block * np.sqrt(crack) / hardness) ** 3.0)) + 2e-4
        cycles += 50
    return cycles


def test_bearing(job):
    number, load, hardness = job
    lives = [run_to_failure(load, hardness) for _ in range(3)]
    noise = rng.normal(0, 0.01, 4)
    first, spread = float(np.mean(np.log(lives))), float(np.std(np.log(lives)))
    return [load + noise[0], hardness + noise[1], load / hardness + noise[2], spread, first]


def campaign(jobs, workers):
    context = mp.get_context("fork")
    counter = context.Value("i", 0)
    with context.Pool(workers, initializer=start_worker, initargs=(counter,)) as pool:
        rows = pool.map(test_bearing, jobs, chunksize=2)
    return np.asarray(rows, dtype=np.float32)
