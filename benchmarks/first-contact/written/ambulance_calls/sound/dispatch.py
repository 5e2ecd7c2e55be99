import asyncio
from typing import Any


class ControlRoom:
    """Simulates one night: each call is a coroutine that drives its ambulance, block by block."""

    def __init__(self, town: dict[str, Any], crews: int) -> None:
        self.town = town
        self.crews = crews
        self.traffic = [[0] * town["side"] for _ in range(town["side"])]

    async def respond(self, call: dict[str, Any], free: asyncio.Semaphore) -> list[float]:
        x, y = self.town["stations"][call["station"]]
        tx, ty = call["at"]
        minutes, queue = 0.0, 0
        async with free:
            while (x, y) != (tx, ty):
                if abs(tx - x) >= abs(ty - y):
                    x += 1 if tx > x else -1
                else:
                    y += 1 if ty > y else -1
                self.traffic[x][y] += 1
                await asyncio.sleep(0)
                self.traffic[x][y] -= 1
                queue += self.traffic[x][y]
                minutes += (1.0 + 0.02 * self.traffic[x][y]) / self.town["speed"][x][y]
        sx, sy = self.town["stations"][call["station"]]
        return [sx, sy, tx, ty, call["hour"], call["severity"], queue, minutes + call["turnout"]]

    async def night(self, calls: list[dict[str, Any]]) -> list[list[float]]:
        free = asyncio.Semaphore(self.crews)
        tasks = [asyncio.create_task(self.respond(call, free)) for call in calls]
        await asyncio.wait(tasks)
        return [task.result() for task in tasks]
