"""Search space for the cultivar regressors."""
from itertools import product

GRID = {
    "activation": ["relu", "tanh", "silu"],
    "width": [8, 24, 48],
    "optimizer": ["adam", "sgd"],
    "dropout": [0.0, 0.2],
}

NARROW = 16


def canonical(trial):
    """Dropout is not used in narrow networks: such trials are one and the same."""
    settings = dict(trial)
    if settings["width"] < NARROW:
        settings["dropout"] = 0.0
    return tuple(settings.items())


def expand(grid):
    combinations = product(*grid.values())
    trials = (canonical(zip(grid, values)) for values in combinations)
    return [dict(trial) for trial in dict.fromkeys(trials)]


def label(settings):
    return "/".join(str(value) for value in settings.values())
