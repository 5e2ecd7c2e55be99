"""Cuts a mesh into connected regions, one of which is a batch."""
import torch


def grow(start, free, size):
    region, border = [], {start}
    while border and len(region) < size:
        node = border.pop()
        region.append(node)
        free.discard(node)
        border.update(n for n in node.links if n in free)
    return region


def partition(nodes, size):
    free = set(nodes)
    regions = []
    while free:
        start = next(iter(free))
        regions.append(grow(start, free, size))
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
