"""Cuts a mesh into connected regions, one of which is a batch."""
import logging
from collections import deque

import torch

log = logging.getLogger(__name__)


def grow(start, free, size):
    region, border, seen = [], deque([start]), {start}
    while border and len(region) < size:
        node = border.popleft()
        region.append(node)
        free.discard(node)
        for other in node.links:
            if other in free and other not in seen:
                seen.add(other)
                border.append(other)
    return region


def partition(nodes, size):
    free = set(nodes)
    regions = []
    for start in nodes:
        if start in free:
            regions.append(grow(start, free, size))
            log.info("region %d: %d nodes from %s at %#x", len(regions), len(regions[-1]), start.index, id(start))
    return regions


def to_batch(region, heat):
    place = {node: i for i, node in enumerate(region)}
    adjacency = torch.eye(len(region))
    for node, i in place.items():
        for other in node.links:
            if other in place:
                adjacency[i, place[other]] = 1.0
    adjacency /= adjacency.sum(1, keepdim=True)
    features = torch.tensor([n.features for n in region])
    target = torch.tensor([heat[n.index] for n in region])
    return adjacency, features, target
