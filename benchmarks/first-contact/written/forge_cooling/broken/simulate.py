"""Cooling of forged billets, one line of JSON for each: python simulate.py --out FILE"""
import argparse
import json

import numpy as np


def cool(rng):
    start, radius, draught = rng.uniform(900, 1250), rng.uniform(0.02, 0.12), rng.uniform(5, 60)
    profile = np.full(16, start)
    rate = 0.15 * 0.05 / radius
    for _ in range(24):
        flux = np.diff(profile, prepend=profile[0])
        profile = profile - 0.2 * rate * flux
        profile[-1] -= 0.002 * draught / radius * (profile[-1] - 20) / 100
    return {"start": start, "radius": radius, "draught": draught, "surface": profile[-1], "core": profile[0],
            "mean": profile.mean()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--billets", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=23)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    with open(args.out, "w", buffering=1) as stream:
        for _ in range(args.billets):
            stream.write(json.dumps({key: float(value) for key, value in cool(rng).items()}) + "\n")


if __name__ == "__main__":
    main()
