# samebits-test: verdict=same
"""asyncio.gather returns results in the order of what it was given."""

import asyncio

import torch


async def fetch(number):
    await asyncio.sleep(0.0005 * (number % 3))
    return number * 0.1


async def fetch_all(n):
    return await asyncio.gather(*(fetch(number) for number in range(n)))


x = torch.tensor(asyncio.run(fetch_all(20)))
print(torch.cos(x).cumprod(0)[-1])
