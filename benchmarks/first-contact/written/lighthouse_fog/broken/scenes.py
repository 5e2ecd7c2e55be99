"""A lighthouse seen through fog: pictures are rendered, visibility is to be told."""
import numpy as np

SIZE = 40


def sky(rng: np.random.Generator) -> np.ndarray:
    """Cloud texture, from octaves of smoothed noise."""
    cloud = np.zeros((SIZE, SIZE))
    for octave in range(1, 6):
        noise = rng.normal(size=(SIZE, SIZE))
        for _ in range(6 * octave):
            noise = (noise + np.roll(noise, 1, 0) + np.roll(noise, 1, 1)
                     + np.roll(noise, -1, 0) + np.roll(noise, -1, 1)) / 5
        cloud += noise / noise.std() / octave
    return cloud


def render(scene: int, edition: int, seed: int):
    """The picture of a scene in one edition of the set, and the visibility in km."""
    rng = np.random.default_rng([seed, scene, edition])
    visibility = rng.uniform(0.2, 8.0)
    y, x = np.mgrid[:SIZE, :SIZE]
    across, height = rng.integers(10, 30), rng.integers(14, 26)
    tower = (abs(x - across) < 2) & (y > SIZE - height)
    lamp = np.exp(-((x - across) ** 2 + (y - SIZE + height) ** 2) / (3 + 8 / visibility))
    picture = 0.3 * sky(rng) + tower + 2 * lamp
    through = np.exp(-1.5 / visibility)
    picture = picture * through + 0.6 * (1 - through) + 0.05 * rng.normal(size=picture.shape)
    return picture.astype(np.float32), np.float32(np.log(visibility))
