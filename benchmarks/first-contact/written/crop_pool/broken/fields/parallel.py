"""Work on many files with all cores and a progress bar."""
import multiprocessing
import os

from tqdm import tqdm


def cores():
    return len(os.sched_getaffinity(0))


def starmap(function, jobs, workers=None, desc=None):
    """Yields function(job) for all jobs."""
    workers = min(workers or cores(), len(jobs))
    if workers <= 1:
        yield from map(function, tqdm(jobs, desc=desc, leave=False))
        return
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        yield from tqdm(pool.imap_unordered(function, jobs), total=len(jobs), desc=desc, leave=False)
