"""The pipe network of a small town: manholes, pipes, and the surcharge of one design storm."""
import networkx as nx
import numpy as np
import torch

CATCHMENTS = {"Mill": 96, "Quay": 84, "Abbey": 110, "Forge": 72, "Heath": 90, "Locks": 78}


def build_network(seed=11):
    rng = np.random.default_rng(seed)
    net = nx.Graph()
    for catchment, size in CATCHMENTS.items():
        codes = rng.permutation(900)[:size] + 100
        names = [f"{catchment[:2].upper()}{code}" for code in codes]
        downstream = [-1] + [int(rng.integers(max(0, i - 12), i)) for i in range(1, size)]
        area = rng.gamma(2.0, 0.8, size)
        inflow = area.copy()
        for i in range(size - 1, 0, -1):
            inflow[downstream[i]] += inflow[i]
        depth = 1.2 + 0.05 * np.sqrt(inflow) + rng.normal(0, 0.25, size)
        bore = 0.15 + 0.06 * np.sqrt(inflow) * rng.uniform(0.7, 1.3, size)
        fall = rng.uniform(0.004, 0.03, size)
        capacity = 38.0 * bore ** (8 / 3) * np.sqrt(fall) * 12
        head = np.log1p(inflow / (capacity + 0.2)) - 0.2 * depth
        for i, name in enumerate(names):
            net.add_node(name, area=area[i], depth=depth[i], bore=bore[i], fall=fall[i],
                         surcharge=head[i] + rng.normal(0, 0.05))
        for i in range(1, size):
            net.add_edge(names[i], names[downstream[i]])
    return net


def catchment_tensors(net, members):
    """Features, normalised adjacency and target of one connected catchment."""
    sub = net.subgraph(members)
    nodes = list(sub)
    features = [[sub.nodes[n][k] for k in ("area", "depth", "bore", "fall")] + [sub.degree(n)] for n in nodes]
    adjacency = nx.to_numpy_array(sub, nodelist=nodes) + np.eye(len(nodes))
    scale = 1 / np.sqrt(adjacency.sum(1))
    adjacency = adjacency * scale[:, None] * scale[None, :]
    target = [sub.nodes[n]["surcharge"] for n in nodes]
    return (torch.tensor(features, dtype=torch.float32),
            torch.tensor(adjacency, dtype=torch.float32),
            torch.tensor(target, dtype=torch.float32))
