"""Renders synthetic weld radiographs of one camera and writes them in parts.

usage: render.py CAMERA PARTS PER_PART FOLDER
"""
import os
import sys

import numpy as np

SIZE = 24


def smooth(image, times):
    for _ in range(times):
        image = (
            image
            + np.roll(image, 1, -1) + np.roll(image, -1, -1)
            + np.roll(image, 1, -2) + np.roll(image, -1, -2)
        ) / 5.0
    return image


def films(rng, n):
    """Seam with grain; class 0 sound, 1 pore, 2 crack, 3 slag inclusion."""
    yy, xx = np.mgrid[0:SIZE, 0:SIZE]
    images = np.empty((n, SIZE, SIZE), np.float32)
    labels = rng.integers(4, size=n)
    for k, label in enumerate(labels):
        middle = SIZE / 2 + rng.normal(0, 1.5)
        image = 0.8 * np.exp(-((yy - middle) / 5.0) ** 2)
        cy, cx = middle + rng.normal(0, 1.5), rng.uniform(5, SIZE - 5)
        if label == 1:
            image -= 0.9 * np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / 3.0)
        elif label == 2:
            slope = rng.normal(0, 0.25)
            image -= 0.7 * np.exp(-np.abs(yy - cy - slope * (xx - cx))) * (np.abs(xx - cx) < 7)
        elif label == 3:
            image -= 0.6 * ((np.abs(yy - cy) < 2) & (np.abs(xx - cx) < 3))
        grain = smooth(rng.normal(0, 1, (SIZE, SIZE)), 2)
        images[k] = smooth(image, 6) + 0.15 * grain
    return images, labels


def main():
    camera, parts, per_part, folder = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    for part in range(parts):
        images, labels = films(np.random.default_rng([77, camera, part]), per_part)
        path = os.path.join(folder, f"films_{camera}_{part:02d}.npz")
        np.savez(path, images=images, labels=labels)
    print(f"camera {camera}: {parts * per_part} films (pid {os.getpid()})")


if __name__ == "__main__":
    main()
