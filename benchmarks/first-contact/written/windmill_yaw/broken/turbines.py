"""Synthetic sensor logs of a few windmills with different yaw errors."""

import torch


def sensor_log(site, n, seed=900):
    """Features (wind, direction, yaw, temperature, ...) and the power that was lost."""
    generator = torch.Generator().manual_seed(seed + site)
    wind = 4 + 9 * torch.rand(n, generator=generator)
    direction = 6.283 * torch.rand(n, generator=generator)
    lag = 0.15 + 0.08 * site
    yaw = direction + lag * torch.randn(n, generator=generator)
    temperature = 8 + 7 * torch.randn(n, generator=generator)
    turbulence = 0.05 + 0.2 * torch.rand(n, generator=generator)
    error = yaw - direction
    power = (wind / 13) ** 3 * torch.cos(error).clamp(min=0) ** 2 * (1.1 - 0.004 * temperature)
    power = power - 0.3 * turbulence + 0.02 * torch.randn(n, generator=generator)
    features = torch.stack(
        [
            (wind - 8.5) / 3,
            direction.sin(),
            direction.cos(),
            yaw.sin(),
            yaw.cos(),
            (temperature - 8) / 7,
            (turbulence - 0.15) / 0.06,
        ],
        dim=1,
    )
    return features, power.unsqueeze(1)
