import random
from collections import defaultdict

MODELS = {}


def register_model(name, fn):
    MODELS[name] = fn


for _size in ("s", "m", "l"):
    register_model(_size, lambda: None)

with open(__file__) as f:
    _src = f.read()


def backoff(attempt):
    return 2**attempt + random.random()
