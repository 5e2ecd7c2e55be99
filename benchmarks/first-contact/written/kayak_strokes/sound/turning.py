import numpy as np


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def random_rotation(rng, spread):
    """As if the watch sat a little differently on the wrist."""
    return rotation(rng.normal(size=3), rng.normal(0, spread))
