"""Spread of avian influenza through a colony of terns, bird by bird."""
import random


class Bird:
    __slots__ = ("x", "y", "age", "state", "days")

    def __init__(self, x, y, age):
        self.x, self.y, self.age = x, y, age
        self.state = "susceptible"
        self.days = 0


class Colony:
    def __init__(self, side, beta, recovery, seed):
        self.random = random.Random(seed)
        self.side = side
        self.beta, self.recovery = beta, recovery
        self.nests = [[Bird(x, y, self.random.randint(1, 12)) for y in range(side)] for x in range(side)]
        self.shedding = set()
        for _ in range(12):
            self.infect(self.nests[self.random.randrange(side)][self.random.randrange(side)])

    def infect(self, bird):
        bird.state = "shedding"
        self.shedding.add(bird)

    def day(self):
        fresh = 0
        rnd = self.random.random
        for bird in list(self.shedding):
            for _ in range(3):
                x = (bird.x + int(rnd() * 9) - 4) % self.side
                y = (bird.y + int(rnd() * 9) - 4) % self.side
                other = self.nests[x][y]
                if other.state == "susceptible" and rnd() < self.beta * (1.2 - 0.05 * other.age):
                    self.infect(other)
                    fresh += 1
            bird.days += 1
            if rnd() < self.recovery * bird.days:
                bird.state = "immune"
                self.shedding.remove(bird)
        return fresh, len(self.shedding)


def outbreak(side, beta, recovery, days, seed):
    colony = Colony(side, beta, recovery, seed)
    return [colony.day() for _ in range(days)]
