"""Prices cells on a few threads; numpy lets go of the interpreter lock in the big calls."""
import queue
import threading

import numpy as np

from moments import Moments
from pricing import price


def _worker(todo, done):
    while True:
        cell = todo.get()
        if cell is None:
            return
        done.put((cell.index, *price(cell)))


def _arrivals(cells, workers):
    todo, done = queue.Queue(), queue.Queue()
    for cell in cells:
        todo.put(cell)
    threads = [threading.Thread(target=_worker, args=(todo, done)) for _ in range(workers)]
    for t in threads:
        todo.put(None)
        t.start()
    for _ in cells:
        yield done.get()
    for t in threads:
        t.join()


def price_cells(cells, workers):
    xs, ys = [None] * len(cells), [None] * len(cells)
    norm = Moments(4)
    for index, x, y in _arrivals(cells, workers):
        norm.update(x)
        xs[index], ys[index] = x, y
    return np.concatenate(xs), np.concatenate(ys), norm
