"""Cuts the network into connected districts of limited size; each is one mini-batch."""
from collections import deque


def districts(stations, limit=80):
    pending = set(stations)
    while pending:
        start = min(pending, key=lambda s: s.number)
        members, queue = [], deque([start])
        pending.remove(start)
        while queue and len(members) < limit:
            station = queue.popleft()
            members.append(station)
            for pipe in station.pipes:
                neighbour = pipe.other(station)
                if neighbour in pending:
                    pending.remove(neighbour)
                    queue.append(neighbour)
        pending.update(queue)
        yield members
