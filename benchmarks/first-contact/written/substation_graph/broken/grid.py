"""A made-up transmission grid: substations, lines, hourly injections, and the line loadings a DC power flow gives."""
import networkx as nx
import numpy as np
import torch


class Grid:
    def __init__(self, substations, seed):
        graph = nx.connected_watts_strogatz_graph(substations, 4, 0.15, seed=seed)
        rng = np.random.default_rng(seed)
        lines = np.array(sorted(tuple(sorted(e)) for e in graph.edges))
        self.size = substations
        self.lines = torch.from_numpy(lines)
        susceptance = rng.uniform(0.5, 2.0, size=len(lines))
        incidence = np.zeros((len(lines), substations))
        incidence[np.arange(len(lines)), lines[:, 0]] = 1.0
        incidence[np.arange(len(lines)), lines[:, 1]] = -1.0
        laplacian = incidence.T @ (susceptance[:, None] * incidence)
        self.transfer = (susceptance[:, None] * incidence) @ np.linalg.pinv(laplacian)
        self.susceptance = torch.from_numpy(susceptance).float()
        degree = torch.bincount(self.lines.flatten(), minlength=substations).float()
        adjacency = torch.zeros(substations, substations)
        adjacency[self.lines[:, 0], self.lines[:, 1]] = self.susceptance
        adjacency = adjacency + adjacency.T
        self.mixing = adjacency / adjacency.sum(1, keepdim=True)
        self.degree = degree / degree.max()

    def hours(self, count, seed):
        """Injections (generation less load) for a number of hours, and the loading of each line."""
        rng = np.random.default_rng(seed)
        hour = np.arange(count)[:, None]
        base = rng.normal(0.0, 1.0, size=(1, self.size))
        solar = (rng.random((1, self.size)) < 0.2) * np.clip(np.sin(2 * np.pi * (hour - 6) / 24), 0, None)
        injection = base * (1 + 0.3 * np.sin(2 * np.pi * hour / 24)) + 2.5 * solar + rng.normal(0, 0.4, (count, self.size))
        injection -= injection.mean(1, keepdims=True)
        loading = np.abs(injection @ self.transfer.T)
        return torch.from_numpy(injection).float(), torch.from_numpy(loading).float()
