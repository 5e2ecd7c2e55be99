from .crossing import Crossing

__all__ = ["Crossing", "make_fleet"]


def make_fleet(count, seed, **options):
    """Independent crossings, each with its own stream of arrivals."""
    fleet = []
    for index in range(count):
        env = Crossing(**options)
        env.reset(seed=seed * 1000 + index)
        fleet.append(env)
    return fleet
