from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass(eq=False)
class Person:
    name: str
    topic: int
    wrote_with: list[Person] = field(default_factory=list, repr=False)


def synthetic_community(size: int, topics: int, seed: int) -> list[Person]:
    rnd = random.Random(seed)
    people = [Person(f"p{i:04d}", i % topics) for i in range(size)]
    for p in people:
        for _ in range(3):
            q = rnd.choice(people)
            if q is not p and (q.topic == p.topic or rnd.random() < 0.15):
                p.wrote_with.append(q)
                q.wrote_with.append(p)
    return people


def reachable_from(person: Person) -> list[Person]:
    """The connected part of the network that this person belongs to."""
    seen = {person}
    todo = [person]
    while todo:
        for other in todo.pop().wrote_with:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return list(seen)
