import math

import torch

from tiling import tile_width

MU0_OVER_4PI = 1.0  # in units of the main field


def ring(radius, z, segments):
    """Midpoints and directed lengths of a loop of wire."""
    phi = torch.arange(segments) * (2 * math.pi / segments)
    mid = torch.stack([radius * phi.cos(), radius * phi.sin(), torch.full_like(phi, z)], dim=1)
    length = 2 * math.pi * radius / segments
    tangent = torch.stack([-phi.sin(), phi.cos(), torch.zeros_like(phi)], dim=1)
    return mid, tangent * length


def saddle(radius, z0, z1, centre, segments):
    """A coil on the cylinder that covers 120 degrees."""
    quarter = segments // 4
    t = (torch.arange(quarter) + 0.5) / quarter
    width = 2 * math.pi / 3
    pieces = []
    for z, sign in ((z0, 1), (z1, -1)):
        phi = centre + sign * (t - 0.5) * width
        mid = torch.stack([radius * phi.cos(), radius * phi.sin(), torch.full_like(t, z)], dim=1)
        step = sign * radius * width / quarter
        pieces.append((mid, step * torch.stack([-phi.sin(), phi.cos(), torch.zeros_like(t)], dim=1)))
    for side, sign in ((0.5, 1), (-0.5, -1)):
        phi = torch.full_like(t, centre + side * width)
        z = z0 + (z1 - z0) * t
        mid = torch.stack([radius * phi.cos(), radius * phi.sin(), z], dim=1)
        step = torch.zeros_like(mid)
        step[:, 2] = sign * (z1 - z0) / quarter
        pieces.append((mid, step))
    return torch.cat([m for m, _ in pieces]), torch.cat([d for _, d in pieces])


def biot_savart_z(points, elements, width):
    """z component of the field at the points, over tiles of elements; elements are (mid, step)."""
    mid, step = elements
    total = torch.zeros(points.shape[0])
    for m, d in zip(mid.split(width), step.split(width)):
        r = points[:, None, :] - m[None, :, :]
        inv = r.square().sum(-1).clamp_min(1e-4).pow(-1.5)
        cross = d[None, :, 0] * r[..., 1] - d[None, :, 1] * r[..., 0]
        total = total + (cross * inv).sum(dim=1)
    return MU0_OVER_4PI * total


def unit_fields(points, coils):
    """One column for each coil: its field at unit current."""
    columns = []
    for elements in coils:
        width = tile_width(biot_savart_z, points, elements)
        columns.append(biot_savart_z(points, elements, width))
    return torch.stack(columns, dim=1)
