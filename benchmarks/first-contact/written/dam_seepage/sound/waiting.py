"""Waiting for files that another program writes."""
import os
import random
import time

_pauses = random.Random(11)


class SolverDied(RuntimeError):
    pass


def wait_for(path, process, patience=60.0, first=0.0002, longest=0.001):
    """Polls with growing pauses, spread a little so that many clients do not ask the file server at once."""
    deadline = time.monotonic() + patience
    pause = first
    while not os.path.exists(path):
        if process.poll() not in (None, 0):
            raise SolverDied(f"solver ended with {process.returncode}")
        if time.monotonic() > deadline:
            raise TimeoutError(path)
        time.sleep(pause * _pauses.uniform(0.5, 1.5))
        pause = min(longest, pause * 1.1)
    return path
