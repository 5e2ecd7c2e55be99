"""Prints a town as JSON: districts with their speed, and where the stations are."""
import json
import random
import sys

side = int(sys.argv[1])
rnd = random.Random(int(sys.argv[2]))
speed = [[round(rnd.uniform(0.4, 1.6), 3) for _ in range(side)] for _ in range(side)]
names = {f"St {n}" for n in ("Agnes", "Bride", "Columba", "David", "Elmo", "Fiacre")}
stations = {name: [rnd.randrange(side), rnd.randrange(side)] for name in sorted(names)}
json.dump({"side": side, "speed": speed, "stations": stations}, sys.stdout)
