"""A stand-in for the gauges' feeds: one JSON message per gauge, fetched concurrently."""
import asyncio
import json
import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np

log = logging.getLogger("harbor_gauges")


@dataclass
class Station:
    code: str
    message: Path
    latency: float


def publish(folder, count, hours, rng):
    stations = []
    t = np.arange(hours)
    for i in range(count):
        tide = np.sin(2 * np.pi * t / 12.42 + rng.uniform(0, 6.28)) * rng.uniform(0.5, 3.0)
        surge = np.cumsum(rng.normal(0, 0.05, hours))
        path = folder / f"gauge-{i:05d}.json"
        path.write_text(json.dumps({"code": f"G{i:05d}", "level": (tide + surge).round(4).tolist()}))
        stations.append(Station(f"G{i:05d}", path, float(rng.uniform(0.005, 0.04))))
    return stations


async def fetch(station, slots):
    async with slots:
        await asyncio.sleep(station.latency)
        return station.message.read_text()


async def fetch_all(stations, timeout=60.0):
    slots = asyncio.Semaphore(64)
    tasks = [asyncio.create_task(fetch(s, slots), name=s.code) for s in stations]
    pending = set(tasks)
    while pending:
        done, pending = await asyncio.wait(pending, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if not done:
            raise TimeoutError(f"{len(pending)} gauges did not answer")
        log.info("%d of %d gauges answered", len(tasks) - len(pending), len(tasks))
    return [task.result() for task in tasks]
