# samebits-test: verdict=same
"""An event loop goes on while a thread of its pool computes; each step is waited for."""

import asyncio

import torch
from torch import nn


def step(model, optimizer, x):
    noise = torch.randn_like(x)
    loss = nn.functional.dropout(model(x + 0.1 * noise), 0.5).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


async def beat(rounds):
    for _ in range(rounds):
        await asyncio.sleep(0.001)


async def main():
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    beating = asyncio.create_task(beat(40))
    for number in range(12):
        x = torch.full((8, 4), float(number))
        loss = await asyncio.to_thread(step, model, optimizer, x)
        print(f"step {number}: {loss:.6f}")
    await beating


asyncio.run(main())
