"""Work on many files with all cores and a progress bar."""
import multiprocessing
import os
import sys
import time

from tqdm import tqdm


def cores():
    return len(os.sched_getaffinity(0))


def numbered(task):
    number, function, job = task
    began = time.time()
    result = function(job)
    return number, result, os.getpid(), time.time() - began


def starmap(function, jobs, workers=None, desc=None):
    """Yields function(job) for all jobs."""
    workers = min(workers or cores(), len(jobs))
    if workers <= 1:
        yield from map(function, tqdm(jobs, desc=desc, leave=False))
        return
    done, busy = [None] * len(jobs), {}
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        tasks = [(number, function, job) for number, job in enumerate(jobs)]
        for number, result, pid, seconds in tqdm(pool.imap_unordered(numbered, tasks), total=len(jobs), desc=desc):
            done[number] = result
            busy[pid] = busy.get(pid, 0.0) + seconds
    for pid, seconds in busy.items():
        print(f"worker {pid} was busy for {seconds:.2f} s", file=sys.stderr)
    yield from done
