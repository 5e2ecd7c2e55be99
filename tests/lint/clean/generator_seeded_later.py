import random

rng = random.Random()
rng.seed(5)
print(rng.random())
