"""The gateway of the buoys (a local stand-in) and the client that collects their logs."""
import asyncio
import json
import random
from dataclasses import dataclass

import numpy as np

HOURS = 60
LINES = 6  # that the gateway serves at a time

_jitter = random.Random()


@dataclass
class Log:
    buoy: int
    depth: float
    salinity: np.ndarray
    temperature: np.ndarray


def measure(seed, buoy):
    rng = np.random.default_rng([seed, buoy])
    hours = np.arange(HOURS)
    depth = rng.uniform(0.5, 9.0)
    tide = np.sin(2 * np.pi * (hours / 12.42 + rng.uniform()))
    salinity = 31.0 + 0.4 * depth + (3.0 - 0.2 * depth) * tide + np.cumsum(rng.normal(0, 0.15, HOURS))
    temperature = 22.0 - 0.5 * depth + 1.5 * np.sin(2 * np.pi * hours / 24) + rng.normal(0, 0.2, HOURS)
    return {"buoy": buoy, "depth": depth, "salinity": salinity.tolist(), "temperature": temperature.tolist()}


async def serve(path, seed):
    busy = 0

    async def answer(reader, writer):
        nonlocal busy
        request = json.loads(await reader.readline())
        if busy < LINES:
            busy += 1
            reply = await asyncio.to_thread(measure, seed, request["buoy"])
            busy -= 1
        else:
            reply = {"busy": True}
        writer.write(json.dumps(reply).encode() + b"\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    return await asyncio.start_unix_server(answer, path)


async def ask(path, buoy):
    reader, writer = await asyncio.open_unix_connection(path, limit=1 << 20)
    writer.write(json.dumps({"buoy": buoy}).encode() + b"\n")
    await writer.drain()
    answer = json.loads(await reader.readline())
    writer.close()
    await writer.wait_closed()
    return answer


async def fetch(path, buoy, slots):
    async with slots:
        pause = 0.002
        while (answer := await ask(path, buoy)).get("busy"):
            # not all at the same moment again
            await asyncio.sleep(pause * _jitter.uniform(0.5, 1.5))
            pause = min(2 * pause, 0.016)
    return Log(answer["buoy"], answer["depth"], np.asarray(answer["salinity"], np.float32),
               np.asarray(answer["temperature"], np.float32))


async def collect(path, count, seed, timeout=20.0):
    """The logs of all buoys; those that do not answer in time are given up."""
    server = await serve(path, seed)
    slots = asyncio.Semaphore(24)
    async with server:
        tasks = [asyncio.create_task(fetch(path, buoy, slots), name=f"buoy-{buoy}") for buoy in range(count)]
        done, late = await asyncio.wait(tasks, timeout=timeout)
        for task in late:
            task.cancel()
        logs = [task.result() for task in tasks if task in done]
    if len(logs) < 0.9 * count:
        raise RuntimeError(f"only {len(logs)} of {count} buoys answered")
    return logs
