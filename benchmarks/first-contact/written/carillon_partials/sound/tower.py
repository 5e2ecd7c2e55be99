"""Reads the strikes; the share in the tower is slow, so many reads are under way at a time."""
import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

log = logging.getLogger("tower")


async def _read(path, gate, pool):
    async with gate:
        wave = await asyncio.get_running_loop().run_in_executor(pool, np.load, path)
    peak = float(np.abs(wave).max())
    return path.stem, wave / max(peak, 1e-6)


async def _read_all(files, at_once, patience):
    gate = asyncio.Semaphore(at_once)
    with ThreadPoolExecutor(4, thread_name_prefix="share") as pool:
        tasks = [asyncio.create_task(_read(path, gate, pool)) for path in files]
        done, late = await asyncio.wait(tasks, timeout=patience)
        for task in late:
            task.cancel()
        if late:
            log.warning("%d strikes did not arrive within %s s", len(late), patience)
        return [task.result() for task in tasks if task in done]


def read_all(files, at_once=16, patience=120.0):
    began = time.perf_counter()
    strikes = asyncio.run(_read_all(files, at_once, patience))
    spent = time.perf_counter() - began
    log.info("%d strikes in %.2f s, %.0f files/s", len(strikes), spent, len(strikes) / spent)
    return strikes
