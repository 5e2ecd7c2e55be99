"""Turns the network into tensors."""
import math

import torch


def rush(junction):
    """How slow traffic is here: slow near the two centres, and at signals."""
    first = math.exp(-12 * ((junction.x - 0.3) ** 2 + (junction.y - 0.4) ** 2))
    second = math.exp(-20 * ((junction.x - 0.7) ** 2 + (junction.y - 0.8) ** 2))
    crossing = 0.05 * sum(other.signals for other in junction.links)
    return first + 0.7 * second + crossing + 0.2 * junction.signals


def to_tensors(junctions):
    place = {junction: row for row, junction in enumerate(junctions)}
    inputs = [(j.x, j.y, float(j.signals), len(j.links) / 6) for j in junctions]
    targets = [50 - 25 * rush(j) for j in junctions]
    rows, columns, shares = [], [], []
    for junction in junctions:
        for other in junction.links:
            rows.append(place[junction])
            columns.append(place[other])
            shares.append(1 / len(junction.links))
    size = (len(junctions), len(junctions))
    mean = torch.sparse_coo_tensor(torch.tensor([rows, columns]), torch.tensor(shares), size)
    return torch.tensor(inputs), torch.tensor(targets), mean.coalesce().to_sparse_csr()
