"""Latent codes and instance noise for the glaze generator."""

import numpy as np
import torch


def latents(count, dim, rng):
    """Codes on the unit sphere."""
    z = rng.standard_normal((count, dim), dtype=np.float32)
    return torch.from_numpy(z / np.linalg.norm(z, axis=1, keepdims=True) * dim**0.5)


def instance_noise(images, sigma, rng=np.random.default_rng()):
    """Noise on what the discriminator sees; fades out during training."""
    if sigma <= 0:
        return images
    noise = rng.standard_normal(tuple(images.shape), dtype=np.float32)
    return images + sigma * torch.from_numpy(noise)


def fixed_grid(side, dim, seed=0):
    """The codes of the preview sheet."""
    return latents(side * side, dim, np.random.default_rng(seed))
