import random

import numpy as np

rng = np.random.default_rng(7)
old = np.random.RandomState(7)
own = random.Random(7)
print(rng.normal(), old.rand(), own.random())
