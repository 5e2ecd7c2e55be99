import numpy as np


def screw(rng, stripped, size=20):
    """Top view of a cross-head screw; a stripped one has its slots rounded out."""
    yy, xx = np.mgrid[0:size, 0:size] / (size - 1) * 2 - 1
    phi = rng.uniform(0, np.pi / 2)
    u = xx * np.cos(phi) + yy * np.sin(phi)
    v = -xx * np.sin(phi) + yy * np.cos(phi)
    r = np.hypot(xx, yy)
    img = 0.8 * (r < 0.9)
    width = rng.uniform(0.10, 0.16)
    cross = ((abs(u) < width) & (abs(v) < 0.6)) | ((abs(v) < width) & (abs(u) < 0.6))
    img = np.where(cross, 0.25, img)
    if stripped:
        img = np.where(r < rng.uniform(0.22, 0.40), 0.3, img)
    img = img * rng.uniform(0.7, 1.2) + rng.normal(0, 0.12, img.shape)
    return img.astype(np.float32)


def make_set(seed, n, share=0.2):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < share).astype(np.int64)
    return np.stack([screw(rng, bool(s)) for s in labels])[:, None], labels
